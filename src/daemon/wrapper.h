// A program around a compiler ("wrapper"): amdclang++ beside clang++, a shell script that ends in `exec clang++ "$@"`.
//
// The problem: what such a program does is its own affair, so its compiles are one step each, all architectures
// together. The choice: it is run with the user's words, and the one driver that it becomes prints its jobs instead of
// doing them (trace/preload_driver.c). If the driver got the user's words in the user's surroundings, with others
// before or after them, then what the wrapper does is to start that driver, and the driver's jobs are the compile's.
// It must also plan the same jobs where it is given the words that ask for them, which shows that it does not mind
// them, and does twice the same. Anything else keeps the compile whole: a driver in a child process (the wrapper goes
// on after it), other variables, another directory, mask or standard output, a word of its own. Rejected: a list of
// known wrappers; they are everybody's own.
//
// A wrapper that leaves no trace (static) is believed only if it hands on just the user's words to the driver beside it
// whose name ends its own: what else it may have read is not known. docs/coverage.md says what is trusted.
#ifndef HIPCACHE_DAEMON_WRAPPER_H
#define HIPCACHE_DAEMON_WRAPPER_H

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "daemon/request.h"
#include "daemon/request_directory.h"
#include "daemon/step_work.h"
#include "hipcache/base/result.h"
#include "hipcache/plan/plan.h"

namespace hipcache::daemon {

// The driver that is the last of the programs that a probe by `compiler` ran; "": none, or several, or another cache
// stands between.
std::string driver_in(const std::vector<std::string>& programs, const std::string& compiler);

// Has the driver add the words, in a run of that directory.
Status prepare_driver(const ThroughWrapper& through, const RequestDirectory& directory);

struct DriverBehind {
  std::vector<std::string> words;  // that the wrapper gave it, its own name first
  std::string beside;              // where an untraced wrapper found it; else ""
};

// What the run left in the directory; or why it is no such wrapper.
std::variant<DriverBehind, std::string> driver_behind(const StepWork& probe, const Request& request,
                                                      const RequestDirectory& directory, const Services& services);

// The driver's words as a probe's result has them, and back; none of an ordinary probe's.
std::string stored_words(const std::vector<std::string>& words);
std::vector<std::string> words_in(const std::string& stored);

// The command that the wrapper makes of the request's, if it is the same compile: by what it reads and writes.
std::optional<command::Invocation> wrapped_invocation(const std::vector<std::string>& words, const Request& request,
                                                      const command::Parser& parser);

}  // namespace hipcache::daemon

#endif
