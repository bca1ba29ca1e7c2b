// The clang-offload-bundler job that makes the fatbin of the code objects.
#ifndef HIPCACHE_SRC_PLAN_BUNDLE_JOB_H
#define HIPCACHE_SRC_PLAN_BUNDLE_JOB_H

#include <string>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/plan/plan.h"
#include "plan/printed_jobs.h"

namespace hipcache::plan {

struct BundleJob {
  Job job;
  std::vector<command::ArchId> archs;  // in the order of the fatbin, each once
  std::vector<std::string> inputs;     // of each arch
  std::string output;
};

bool is_bundle_job(const Job& job);

// REQUIRES: is_bundle_job(job). Both spellings are read: one -input= per file, and clang 14's comma list -inputs=.
Result<BundleJob> read_bundle_job(const Job& job);

// REQUIRES: as many inputs as the job has.
StepCommand bundle_command(const BundleJob& job, const std::vector<std::string>& inputs, const std::string& output);

}  // namespace hipcache::plan

#endif
