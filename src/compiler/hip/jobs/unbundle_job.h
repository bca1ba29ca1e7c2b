// The clang-offload-bundler jobs that take a link's input apart: an object of relocatable device code into its host
// part and one part per arch, or an archive into its members' code for one arch.
#ifndef HIPCACHE_SRC_COMPILER_HIP_JOBS_UNBUNDLE_JOB_H
#define HIPCACHE_SRC_COMPILER_HIP_JOBS_UNBUNDLE_JOB_H

#include <string>
#include <vector>

#include "compiler/hip/jobs/printed_jobs.h"
#include "hipcache/base/result.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::hip {

struct UnbundleJob {
  Job job;
  std::string input;    // the user's file, as the driver names it
  std::string subject;  // for messages: the input, and for an archive also the target
  std::vector<std::string> outputs;
};

bool is_unbundle_job(const Job& job);

// REQUIRES: is_unbundle_job(job). Only the arguments that clang 15 to 19 are known to give are accepted.
Result<UnbundleJob> read_unbundle_job(const Job& job);

// REQUIRES: as many outputs as the job has.
StepCommand unbundle_command(const UnbundleJob& job, const std::vector<std::string>& outputs);

}  // namespace hipcache::hip

#endif
