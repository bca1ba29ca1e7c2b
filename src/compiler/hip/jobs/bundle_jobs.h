// The jobs that put the files of all targets into one file: bundler, packager and linker wrapper.
#ifndef HIPCACHE_SRC_COMPILER_HIP_JOBS_BUNDLE_JOBS_H
#define HIPCACHE_SRC_COMPILER_HIP_JOBS_BUNDLE_JOBS_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/hip/jobs/printed_jobs.h"
#include "hipcache/base/result.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::hip {

// The clang-offload-bundler job that puts the files of all targets into one file.
//
// Two forms are known. One is the fatbin of code objects; its first target is a host without a file. The other is the
// bundle that -fgpu-rdc, -S and -emit-llvm make; its last target is the host with its file, or it has no host.

enum class BundledHost { none, without_file, with_file };

struct BundleJob {
  Job job;
  std::string type;                     // type of the files: "o", "s", "ll", "bc"
  std::vector<compiler::ArchId> archs;  // in bundle order, each once
  std::vector<std::string> inputs;      // one per arch
  BundledHost host = BundledHost::none;
  std::string host_input;
  std::string output;
  bool is_package = false;  // made by the packager instead
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

// The packager of the new offload driver (clang-offload-packager, later llvm-offload-binary). It puts the devices'
// bitcode into one file, which the host's object includes. For other jobs it acts as a bundler.

bool is_package_job(const Job& job);

// REQUIRES: is_package_job(job).
Result<BundleJob> read_package_job(const Job& job);

// REQUIRES: the job was read by read_package_job(). There is no host.
StepCommand package_command(const BundleJob& job, const BundleNames& names);

// The clang-linker-wrapper job by which the new driver of later clangs makes a fatbin of the packaged bitcode. It runs
// the back end of every device and the bundler. The driver does not print those jobs. The wrapper prints them with
// --dry-run, even for a package of empty images (wrapper_jobs.h).
//
// It becomes a command of the bundle step. Rejected: wrapping one arch at a time, which would require knowledge of how
// the wrapper bundles.

struct LinkerWrapperJob {
  Job job;
  std::size_t input = 0;  // positions in `job`
  std::size_t output = 0;
};

// Whether the option has the wrapper's compilers write debug information into files beside the wrapper's output, which
// none of its jobs names.
bool splits_debug_information(std::string_view argument);

// Whether the option is one of the wrapper's own that clang 15 to 22 are known to pass, and harmless.
bool is_wrapper_option(std::string_view argument);

// The command without the number of jobs that run at once, which shows in no output.
std::vector<std::string> without_job_count(std::vector<std::string> argv);

bool is_linker_wrapper_job(const Job& job);

// REQUIRES: is_linker_wrapper_job(job). Only arguments that clang 22 is known to give are accepted.
Result<LinkerWrapperJob> read_linker_wrapper_job(const Job& job);

StepCommand linker_wrapper_command(const LinkerWrapperJob& job, const std::string& input, const std::string& output);

// A command that prints the jobs instead of running them.
StepCommand dry_run_command(const LinkerWrapperJob& job, const std::string& input, const std::string& output);

// The wrapper's name for a device's bitcode from the package of that name, with a fixed number in place of its random
// part: "package-amdgcn-amd-amdhsa-gfx906-000000.o".
std::string name_in_wrapper(const std::string& package_stem, const compiler::ArchId& arch);

}  // namespace hipcache::hip

#endif
