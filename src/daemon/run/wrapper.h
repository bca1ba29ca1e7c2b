// A program around a compiler ("wrapper"): amdclang++ beside clang++, or a shell script that ends in `exec clang++
// "$@"`.
//
// The problem: such a program may do anything, so its compiles would be opaque, with all architectures in one step. The
// choice: run it with the user's words, and have the one driver that it becomes print its jobs instead of running them
// (trace/preload/driver.c). The driver must get the user's words in the user's surroundings; other words may come
// before or after them. Then the wrapper only starts that driver, and the driver's jobs are the compile's. The wrapper
// must also lead to the same jobs when it is itself given the words that ask for jobs. This shows that it ignores those
// words, and does the same twice. Otherwise the compile stays opaque. Examples: the driver runs in a child process,
// because the wrapper continues after it; the driver gets other variables, another directory, mask or standard output;
// the wrapper prints something itself.
// Rejected: a list of known wrappers, because anybody can write one.
//
// A wrapper that leaves no trace (static) may have read unknown files. It is accepted only if it passes exactly the
// user's words to the driver beside it whose name ends its own. docs/coverage.md says what is trusted.
#ifndef HIPCACHE_SRC_DAEMON_RUN_WRAPPER_H
#define HIPCACHE_SRC_DAEMON_RUN_WRAPPER_H

#include <sys/types.h>
#include <optional>

#include <string>
#include <vector>

#include "daemon/step/step.h"
#include "hipcache/base/result.h"
#include "hipcache/compiler/hip/plan.h"
#include "hipcache/trace/record.h"

namespace hipcache::daemon {

// The driver that is the last of the programs that a probe by `compiler` ran. "" if there is none or several, or
// another cache runs in between.
std::string driver_in(const std::vector<std::string>& programs, const std::string& compiler);

// The programs that left a trace, and hipcache if one of them started it: hipcache is static and leaves none.
std::vector<std::string> ran_in(const trace::Trace& trace);

// A probe through a wrapper: the wrapper gets the user's own words, and its driver gets more (trace/preload/driver.c).
struct ThroughWrapper {
  std::string driver;              // the program that adds the words
  std::vector<std::string> words;  // added to the driver's own
  std::string direct_jobs;         // the jobs printed when the wrapper itself got the words
  pid_t client = 0;                // the process that runs the wrapper
};

// Makes the driver of the next run in that directory add the words.
Status prepare_driver(const ThroughWrapper& through, const RequestDirectory& directory);

struct DriverBehind {
  std::vector<std::string> words;  // what the wrapper gave the driver, its own name first
  std::string beside;              // where an untraced wrapper found the driver; else ""
};

// The driver behind the wrapper, from the files of the run. The error says, after the wrapper's name, why there is
// none.
Result<DriverBehind> driver_behind(const StepState& probe, const ThroughWrapper& through, const StepContext& context);

// Encodes the driver's words for a probe's result, and decodes them; empty for an ordinary probe.
std::string stored_words(const std::vector<std::string>& words);
std::vector<std::string> words_in(const std::string& stored);

// The command that the wrapper makes of the request's, if it is the same compile by what it reads and writes.
std::optional<compiler::Invocation> wrapped_invocation(const std::vector<std::string>& words, const Request& request,
                                                       const compiler::Parser& parser);

}  // namespace hipcache::daemon

#endif
