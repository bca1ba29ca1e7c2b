// The lld job that links an arch's code object from its device object, or from the parts of several link inputs.
#ifndef HIPCACHE_SRC_COMPILER_HIP_JOBS_DEVICE_JOB_H
#define HIPCACHE_SRC_COMPILER_HIP_JOBS_DEVICE_JOB_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/hip/jobs/printed_jobs.h"
#include "hipcache/base/result.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::hip {

struct LinkJob {
  Job job;
  std::vector<std::size_t> inputs;  // positions in `job`; one or more
  std::size_t output = 0;
  std::size_t dwo_directory = 0;  // 0: none. Code generation at link time writes its split debug information there
};

bool is_link_job(const Job& job);

// Whether lld, linking for a device, makes of the option nothing but code and messages.
bool is_quiet_device_link_option(std::string_view argument);

// REQUIRES: is_link_job(job). Only the arguments that clang 15 to 22 are known to give are accepted.
Result<LinkJob> read_link_job(const Job& job);

// REQUIRES: as many inputs as the job has.
StepCommand link_command(const LinkJob& job, const std::vector<std::string>& inputs, const std::string& output);

}  // namespace hipcache::hip

#endif
