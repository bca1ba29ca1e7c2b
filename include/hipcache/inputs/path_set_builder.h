// Turns a trace into a path set, or into the reason why the run must not be recorded.
//
// Left out: the request's own temporary directory, some paths of the kernel
// (src/inputs/rules/path_class.cpp), and the variables of the tracer and of fakeroot. Also left out:
// variables that only steer a search (PATH, PWD, TMPDIR, TMP, TEMP). The trace shows where the
// search led, and a specs file that uses such a variable is refused.
// Added: links on the way to opened files; where PATH leads for each program that was looked for;
// the loader's cache and search variables. Also added: places where a library could appear before
// the one that was loaded.
#ifndef HIPCACHE_INPUTS_PATH_SET_BUILDER_H
#define HIPCACHE_INPUTS_PATH_SET_BUILDER_H

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/inputs/answer_fingerprints.h"
#include "hipcache/inputs/file_system_state.h"
#include "hipcache/inputs/path_set.h"
#include "hipcache/inputs/run.h"
#include "hipcache/trace/record.h"

namespace hipcache::inputs {

// Variables that make clang's driver itself report on its run, in a way that is right once: CC_PRINT_OPTIONS names
// temporary files, the others have times and memory (clang/tools/driver/driver.cpp).

inline bool reports_on_one_run(std::string_view variable) {
  return variable == "CC_PRINT_OPTIONS" || variable == "CC_PRINT_PROC_STAT" || variable == "CC_PRINT_INTERNAL_STAT";
}

// A path set and its state as the run saw it. The state is computed before the race guard checks
// for changes, so a run that passes the guard read exactly that state. A state computed after the
// guard could include a change made in between.
struct Witnessed {
  std::shared_ptr<const PathSet> set;
  Digest state;
  std::optional<Digest> overlooked = {};  // by the run that made the result (State::overlooked); nothing: or not known
  Answered answered = {};                 // set for a run; empty for a hit
  // For a run: where a file in a root asks for its own name (OwnName::where), or "". Such a result is
  // valid for that root only.
  std::string asks_own_name = {};
  // The set less the questions about roots that are asked only because of that name; null: there are none.
  std::shared_ptr<const PathSet> without_names = {};
  Digest state_without_names = {};
  std::vector<std::string> named_roots = {};  // the marks of these roots
  // For a run that read sources: why all bytes of the project's count; "" if fewer may.
  std::string strict_by = {};
};

// The first open descriptor that a process read by a name (/dev/stdin, /dev/fd/3, a link to one),
// or "". A step does not get the user's descriptors, so it read something else than the compiler
// alone would. witness() refuses every such run. Asks the file system for every file that was read.
std::string descriptor_read(const std::vector<trace::Record>& records, const std::string& working_directory);

// Refuses the run in these cases:
// - an input changed at or after `run.started_ns` (race guard), or is another file than the process
// got;
// - an input exists now although the process saw it missing, or the reverse;
// - more or other programs ran than `run.programs` allows (wrappers);
// - a program left no complete trace.
std::variant<Witnessed, Refusal> witness(const trace::Trace& trace, const Run& run, const RunContext& from,
                                         FileSystemState& file_system);

}  // namespace hipcache::inputs

#endif
