// The run of a probe: the driver prints its jobs (-###), and its messages are the result. Nothing is written.
//
// A wrapper is asked in another way. It is a program around a compiler: amdclang++ beside clang++, or a shell script
// that ends in `exec clang++ "$@"`.
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
#ifndef HIPCACHE_SRC_DAEMON_RUN_PROBE_RUN_H
#define HIPCACHE_SRC_DAEMON_RUN_PROBE_RUN_H

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "daemon/request/step.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::daemon {

// The driver that is the last of the programs that a probe by `compiler` ran. "" if there is none or several, or
// another cache runs in between.
std::string driver_in(const std::vector<std::string>& programs, const std::string& compiler);

// A probe through a wrapper: the wrapper gets the user's own words, and its driver gets more (trace/preload/driver.c).
struct ThroughWrapper {
  std::string driver;              // the program that adds the words
  std::vector<std::string> words;  // added to the driver's own
  std::string direct_jobs;         // the jobs printed when the wrapper itself got the words
  pid_t client = 0;                // the process that runs the wrapper
};

class ProbeRun : public SingleRun {
 public:
  // Both references outlive this object. `through`: set if a wrapper is asked with the user's words.
  ProbeRun(StepState& state, std::optional<ThroughWrapper> through, const StepContext& context)
      : SingleRun(state), through_(std::move(through)), context_(context) {}

  Status prepare() override;

 private:
  Status take(const protocol::StepDone& report) override;
  void take_trace(const protocol::StepDone& report);
  std::string take_driver();

  const std::optional<ThroughWrapper> through_;
  const StepContext& context_;
};

// The words that a wrapper gave its driver, of what a probe's result has as its standard output; empty for an ordinary
// probe.
std::vector<std::string> words_in(const std::string& stored);

// The command that the wrapper makes of the request's, if it is the same compile by what it reads and writes.
std::optional<compiler::Invocation> wrapped_invocation(const std::vector<std::string>& words, const Request& request,
                                                       const compiler::Parser& parser);

}  // namespace hipcache::daemon

#endif
