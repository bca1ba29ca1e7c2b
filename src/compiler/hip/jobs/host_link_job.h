// The last job of a link: the linker that makes a program or shared library of host objects, libraries and the fatbin's
// object.
//
// A linker's inputs and outputs are traced. Only options can introduce what a trace cannot show (randomness, the time,
// output about the run itself). If a job has an option that is not known to be safe, the job runs and its result is not
// stored.
#ifndef HIPCACHE_SRC_COMPILER_HIP_JOBS_HOST_LINK_JOB_H
#define HIPCACHE_SRC_COMPILER_HIP_JOBS_HOST_LINK_JOB_H

#include <cstddef>
#include <string>
#include <vector>

#include "compiler/hip/jobs/printed_jobs.h"
#include "hipcache/base/result.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::hip {

struct HostLinkJob {
  Job job;
  std::vector<std::size_t> inputs;  // positions of intermediate files
  std::size_t output = 0;
  std::string unknown_option;  // the first option not known to be safe; empty: none
};

// An intermediate file lies below `directory`. Error: not exactly one output.
Result<HostLinkJob> read_host_link_job(const Job& job, const std::string& directory);

// REQUIRES: as many inputs as the job has.
StepCommand host_link_command(const HostLinkJob& job, const std::vector<std::string>& inputs,
                              const std::string& output);

}  // namespace hipcache::hip

#endif
