// The clang-linker-wrapper job by which the new driver of later clangs makes a fatbin of the packaged bitcode: it runs
// the back end of every device and the bundler itself. The driver prints none of that; the wrapper does when it is
// asked
// (--dry-run), for a package of empty images as well (wrapper_jobs.h).
//
// It is a command of the bundle's step. Rejected: wrapping one arch at a time, which would take knowledge of how it
// bundles.
#ifndef HIPCACHE_SRC_PLAN_WRAP_JOB_H
#define HIPCACHE_SRC_PLAN_WRAP_JOB_H

#include <cstddef>
#include <string>
#include <string_view>

#include "hipcache/base/result.h"
#include "hipcache/plan/plan.h"
#include "plan/printed_jobs.h"

namespace hipcache::plan {

struct WrapJob {
  Job job;
  std::size_t input = 0;  // positions in `job`
  std::size_t output = 0;
};

// Whether an option is the wrapper's own, of those that clang 15 to 22 are known to give it, and harmless.
bool is_wrapper_option(std::string_view argument);

bool is_wrap_job(const Job& job);

// REQUIRES: is_wrap_job(job). Only arguments that clang 22 is known to give are accepted.
Result<WrapJob> read_wrap_job(const Job& job);

StepCommand wrap_command(const WrapJob& job, const std::string& input, const std::string& output);

// Prints what it would start.
StepCommand dry_run_command(const WrapJob& job, const std::string& input, const std::string& output);

// What the wrapper calls a device's bitcode that it takes out of a package of that name, with its piece of chance
// replaced: "package-amdgcn-amd-amdhsa-gfx906-000000.o".
std::string name_in_wrapper(const std::string& package_stem, const command::ArchId& arch);

}  // namespace hipcache::plan

#endif
