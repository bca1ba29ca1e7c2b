// From a trace to a path set, or to the reason why what ran must not be recorded.
//
// Left out: the request's own temporary directory, a few places of the kernel's (src/inputs/places.cpp), variables that
// only steer a search (PATH, PWD, TMPDIR, TMP, TEMP: what they led to is observed itself, and a specs file that uses
// one is refused) and those of the tracer and of fakeroot. Added: links on the way to what was opened, where PATH leads
// for the programs that were looked for, the loader's cache and search variables, and places where a library could
// appear before the one that was loaded.
#ifndef HIPCACHE_INPUTS_OBSERVE_H
#define HIPCACHE_INPUTS_OBSERVE_H

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/inputs/path_set.h"
#include "hipcache/inputs/told.h"
#include "hipcache/inputs/world.h"
#include "hipcache/trace/record.h"

namespace hipcache::inputs {

struct Refusal {
  std::string reason;  // a name of the fixed list: "untraceable-compiler", "compiler-is-a-wrapper", "clock", "network",
                       // "writes-elsewhere", "reads-own-output", "input-changed", "native-target", "trace"
  std::string detail;  // the path or program; for the log
};

// What a run's results show of the roots, found by looking into them and at the command.
struct RootTies {
  RootMask shown = 0;             // by their names
  RootMask placed = 0;            // by what a map of names left of them (plan/prefix_maps.h)
  bool hidden = false;            // any that the run knew of may be in them where looking does not find it
  RootMask named = 0;             // by the command
  RootMask own_names_mapped = 0;  // the compiler writes something else where a source asks for its own name
  RootMask may_be_placed = 0;     // what it writes then is a place in another root
};

struct Run {
  std::vector<std::string> programs;  // that the step was to execute, one per command, as absolute paths
  bool may_start_others = false;  // they may run further programs, which count as inputs and leave traces of their own
  std::string directory;          // the request's temporary directory: reads and writes in it are the step's own
  std::uint64_t started_ns = 0;   // CLOCK_REALTIME_COARSE before the first command
  // What the step's results show of its surroundings, found by looking into them: asked in addition.
  RootTies roots;
  bool shows_cuid = false;
  // The results hold options of the compiler's own command line, among which is the date of SOURCE_DATE_EPOCH.
  bool shows_command = false;
  // The run printed something, or its results may hold options of the command line: then colours and what else depends
  // on the terminal count.
  bool shows_colour = true;
  // The result is a plan, in which the caller replaces the date that the driver took from SOURCE_DATE_EPOCH.
  bool plans = false;
  bool shows_output_names = false;
  // The command as the user typed it (undivided.h of command): it may run other programs than its own, which are inputs
  // too, and what it wrote, at these absolute paths, is no input however it was looked at.
  bool undivided = false;
  // One of them leaves no trace: it may have read any variable.
  bool has_unseen_program = false;
  std::vector<std::string> written;  // sorted
  std::vector<std::string> specs;    // names of gcc's specs files, as the command has them
  // Of such a command: whether its results show the working directory, or could hide it.
  bool shows_directory = false;
};

// A path set and the state of the world that the run saw. The state is taken before the race guard looks, so what
// passes the guard is what the run read: to ask the world again after the guard would let in whatever changed in
// between.
struct Witnessed {
  std::shared_ptr<const PathSet> set;
  Digest state;
  Answered answered;  // of a run; a hit has none
  // Of a run: a file in a root that asks for its own name (mentions.h), and so ties the result to the root; or "".
  std::string asks_own_name;
};

// The first open descriptor that a process read by a name (/dev/stdin, /dev/fd/3, a link to one), or "". A step does
// not get the user's descriptors, so it read something else than the compiler alone would. witness() refuses each such
// run. Asks the file system for every file that was read.
std::string descriptor_read(const std::vector<trace::Record>& records, const std::string& working_directory);

// Refuses if a file that counts changed at or after `run.started_ns` (race guard), is another one than the process got,
// or is now there or gone where the process saw the opposite; if more or other programs ran than `run.programs`
// (wrappers) without leave to, or one of them left no complete trace.
std::variant<Witnessed, Refusal> witness(const trace::Trace& trace, const Run& run, const Surroundings& from,
                                         World& world);

}  // namespace hipcache::inputs

#endif
