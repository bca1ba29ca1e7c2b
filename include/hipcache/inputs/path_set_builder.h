// Turns a trace into a path set, or into the reason why the run must not be recorded.
//
// Left out: the request's own temporary directory, some paths of the kernel
// (src/inputs/observe/path_class.cpp), and the variables of the tracer and of fakeroot. Also left out:
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
#include <variant>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/inputs/answer_fingerprints.h"
#include "hipcache/inputs/file_system_state.h"
#include "hipcache/inputs/path_set.h"
#include "hipcache/trace/record.h"

namespace hipcache::inputs {

struct Refusal {
  // A name of the fixed list: "untraceable-compiler", "compiler-is-a-wrapper", "clock", "network",
  // "writes-elsewhere", "reads-own-output", "input-changed", "native-target", "trace".
  std::string reason;
  std::string detail;  // the path or program; for the log
};

// The roots that a run's results depend on, found by searching the results and the command.
struct RootReferences {
  RootMask shown = 0;  // shown by their names
  // Shown by what a prefix map left of their names (plan/prefix_maps.h).
  RootMask placed = 0;
  // Any root that the run knew may be in the results without being found by a search.
  bool hidden = false;
  RootMask named = 0;  // named by the command
  // Roots whose names a prefix map replaces where a source asks for its own name.
  RootMask own_names_mapped = 0;
  // Roots that a prefix map may replace by their place in another root.
  RootMask may_be_placed = 0;
};

struct Run {
  // The programs that the step was to execute, one per command, as absolute paths.
  std::vector<std::string> programs;
  // They may run further programs, which count as inputs and leave traces of their own.
  bool may_start_others = false;
  // The request's temporary directory: reads and writes in it belong to the step.
  std::string directory;
  std::uint64_t started_ns = 0;  // CLOCK_REALTIME_COARSE before the first command
  // What the step's results show of the request, found by searching them. Adds questions to the
  // path set.
  RootReferences roots;
  bool shows_cuid = false;
  // The results hold options of the compiler's own command line, among them the date of
  // SOURCE_DATE_EPOCH.
  bool shows_command = false;
  // The run printed something, or its results may hold options of the command line. Then colour,
  // and whatever else depends on the terminal, counts.
  bool shows_colour = true;
  // The result is a plan, in which the caller replaces the date that the driver took from
  // SOURCE_DATE_EPOCH.
  bool plans = false;
  bool shows_output_names = false;
  // An opaque compile (command/undivided.h). It may run programs other than its own, which are
  // inputs, too. The files that it wrote, at the absolute paths in `written`, are never inputs.
  bool is_opaque = false;
  // One of the programs leaves no trace, so it may have read any variable.
  bool has_unseen_program = false;
  std::vector<std::string> written;  // sorted
  std::vector<std::string> specs;    // names of gcc's specs files, as in the command
  // For an opaque compile: whether its results show the working directory, or could hide it.
  bool shows_directory = false;
};

// A path set and its state as the run saw it. The state is computed before the race guard checks
// for changes, so a run that passes the guard read exactly that state. A state computed after the
// guard could include a change made in between.
struct Witnessed {
  std::shared_ptr<const PathSet> set;
  Digest state;
  Answered answered;  // set for a run; empty for a hit
  // For a run: a file in a root that asks for its own name (mentions.h), or "". Such a result is
  // valid for that root only.
  std::string asks_own_name;
};

// The first open descriptor that a process read by a name (/dev/stdin, /dev/fd/3, a link to one),
// or "". A step does not get the user's descriptors, so it read something else than the compiler
// alone would. witness() refuses every such run. Asks the file system for every file that was read.
std::string descriptor_read(const std::vector<trace::Record>& records, const std::string& working_directory);

// Refuses the run in these cases:
// - an input changed at or after `run.started_ns` (race guard), or is another file than the process
// got;
// - an input exists now although the process saw it missing, or the reverse;
// - more or other programs ran than `run.programs` (wrappers) without `run.may_start_others`;
// - a program left no complete trace.
std::variant<Witnessed, Refusal> witness(const trace::Trace& trace, const Run& run, const RunContext& from,
                                         FileSystemState& file_system);

}  // namespace hipcache::inputs

#endif
