// The clang-linker-wrapper job by which the new driver of later clangs makes a fatbin of the packaged bitcode. It runs
// the back end of every device and the bundler. The driver does not print those jobs. The wrapper prints them with
// --dry-run, even for a package of empty images (wrapper_jobs.h).
//
// It becomes a command of the bundle step. Rejected: wrapping one arch at a time, which would require knowledge of how
// the wrapper bundles.
#ifndef HIPCACHE_SRC_COMPILER_HIP_JOBS_LINKER_WRAPPER_JOB_H
#define HIPCACHE_SRC_COMPILER_HIP_JOBS_LINKER_WRAPPER_JOB_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/hip/jobs/printed_jobs.h"
#include "hipcache/base/result.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::hip {

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
