// The clang-offload-bundler job that puts what was made for the targets into one file.
//
// Two forms are known: the fatbin of code objects, whose first target is a host without a file, and the bundle of what
// -fgpu-rdc, -S and -emit-llvm make, whose last target is the host with its file, or which has no host.
#ifndef HIPCACHE_SRC_PLAN_BUNDLE_JOB_H
#define HIPCACHE_SRC_PLAN_BUNDLE_JOB_H

#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/plan/plan.h"
#include "plan/printed_jobs.h"

namespace hipcache::plan {

enum class BundledHost { none, without_file, with_file };

struct BundleJob {
  Job job;
  std::string type;                    // of the files: "o", "s", "ll", "bc"
  std::vector<command::ArchId> archs;  // in the order of the bundle, each once
  std::vector<std::string> inputs;     // of each arch
  BundledHost host = BundledHost::none;
  std::string host_input;
  std::string output;
  bool is_package = false;  // made by another program (package_job.h)
};

// "gfx90a:xnack-"
bool is_arch_name(std::string_view name);

bool is_bundle_job(const Job& job);

// REQUIRES: is_bundle_job(job). Both spellings are read: one -input= per file, and clang 14's comma list -inputs=.
Result<BundleJob> read_bundle_job(const Job& job);

// What takes the place of the job's own names: as many device files as it has, and the host's only where it has one.
struct BundleNames {
  std::vector<std::string> inputs;
  std::string host_input;
  std::string output;
};

StepCommand bundle_command(const BundleJob& job, const BundleNames& names);

}  // namespace hipcache::plan

#endif
