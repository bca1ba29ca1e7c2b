// The lld job that makes a code object of an arch's device object.
#ifndef HIPCACHE_SRC_PLAN_DEVICE_JOB_H
#define HIPCACHE_SRC_PLAN_DEVICE_JOB_H

#include <cstddef>
#include <string>

#include "hipcache/base/result.h"
#include "hipcache/plan/plan.h"
#include "plan/printed_jobs.h"

namespace hipcache::plan {

struct LinkJob {
  Job job;
  std::size_t input = 0;  // positions in `job`
  std::size_t output = 0;
};

bool is_link_job(const Job& job);

// REQUIRES: is_link_job(job). Only the arguments that clang 15 to 22 are known to give are accepted.
Result<LinkJob> read_link_job(const Job& job);

StepCommand link_command(const LinkJob& job, const std::string& input, const std::string& output);

}  // namespace hipcache::plan

#endif
