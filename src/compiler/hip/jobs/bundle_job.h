// The clang-offload-bundler job that puts the files of all targets into one file.
//
// Two forms are known. One is the fatbin of code objects; its first target is a host without a file. The other is the
// bundle that -fgpu-rdc, -S and -emit-llvm make; its last target is the host with its file, or it has no host.
#ifndef HIPCACHE_SRC_COMPILER_HIP_JOBS_BUNDLE_JOB_H
#define HIPCACHE_SRC_COMPILER_HIP_JOBS_BUNDLE_JOB_H

#include <string>
#include <string_view>
#include <vector>

#include "compiler/hip/jobs/printed_jobs.h"
#include "hipcache/base/result.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::hip {

enum class BundledHost { none, without_file, with_file };

struct BundleJob {
  Job job;
  std::string type;                     // type of the files: "o", "s", "ll", "bc"
  std::vector<compiler::ArchId> archs;  // in bundle order, each once
  std::vector<std::string> inputs;      // one per arch
  BundledHost host = BundledHost::none;
  std::string host_input;
  std::string output;
  bool is_package = false;  // made by the packager instead (package_job.h)
};

// Whether the name has the form of an arch: "gfx90a:xnack-".
bool is_arch_name(std::string_view name);

bool is_bundle_job(const Job& job);

// REQUIRES: is_bundle_job(job). Reads both spellings: one -input= per file, and clang 14's comma list -inputs=.
Result<BundleJob> read_bundle_job(const Job& job);

// Replaces the job's own names: as many device files as the job has, and a host file only if the job has one.
struct BundleNames {
  std::vector<std::string> inputs;
  std::string host_input;
  std::string output;
};

StepCommand bundle_command(const BundleJob& job, const BundleNames& names);

}  // namespace hipcache::hip

#endif
