// Compiles a small source twice through a cache of its own, and tells what the cache did.
#ifndef HIPCACHE_SRC_CLI_DOCTOR_TRIAL_TEST_COMPILE_H
#define HIPCACHE_SRC_CLI_DOCTOR_TRIAL_TEST_COMPILE_H

#include <string>

#include "cli/doctor/trial/program_run.h"
#include "cli/doctor/trial/trial.h"
#include "hipcache/base/result.h"

namespace hipcache::cli {

enum class Language { c, cxx, hip };

struct TestCompile {
  bool compiles = false;
  std::string failure;  // the compiler's first error, if it does not compile
  bool is_hit = false;  // the second time
  std::string reason;   // if it is none: why the cache did not keep or use the result
  std::uint64_t cold_ms = 0;
  std::uint64_t warm_ms = 0;
};

// `compiler`: its path and options, without -c, -o and a source.
Result<TestCompile> test_compile(const Trial& trial, const Words& compiler, Language language);

// How hipcache would treat the compile, as --plan tells.
enum class Treatment { bypass, is_opaque, split, split_by_new_driver };
Result<Treatment> treatment_of(const Trial& trial, const Words& compiler, Language language);
// Of the JSON that --plan prints.
Result<Treatment> treatment_in(const std::string& plan);

// Why the result serves this machine alone whatever its directory, as --explain tells; empty if it does not.
Result<std::string> tie_of(const Trial& trial, const Words& compiler, Language language);
// Of the JSON that --explain prints.
std::string tie_in(const std::string& explanation);

// "by the last bypass: link: -shared": from the statistics of the trial.
std::string reason_in(const stats::Snapshot& statistics);

}  // namespace hipcache::cli

#endif
