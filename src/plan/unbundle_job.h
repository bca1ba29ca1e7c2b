// The clang-offload-bundler jobs that take an input of a link apart: an object of relocatable device code into its
// host's part and one for each arch, or an archive into what its members hold for one arch.
#ifndef HIPCACHE_SRC_PLAN_UNBUNDLE_JOB_H
#define HIPCACHE_SRC_PLAN_UNBUNDLE_JOB_H

#include <string>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/plan/plan.h"
#include "plan/printed_jobs.h"

namespace hipcache::plan {

struct UnbundleJob {
  Job job;
  std::string input;    // the user's file, as the driver names it
  std::string subject;  // what is taken apart, in words: the input, of an archive with the target
  std::vector<std::string> outputs;
};

bool is_unbundle_job(const Job& job);

// REQUIRES: is_unbundle_job(job). Only the arguments that clang 15 to 19 are known to give are accepted.
Result<UnbundleJob> read_unbundle_job(const Job& job);

// REQUIRES: as many outputs as the job has.
StepCommand unbundle_command(const UnbundleJob& job, const std::vector<std::string>& outputs);

}  // namespace hipcache::plan

#endif
