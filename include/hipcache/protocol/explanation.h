// Why the steps of a compile would run: the differences from the nearest stored compile; and what
// keeps stored results from serving other machines. The answer to --explain, and the log's explanation of a miss.
#ifndef HIPCACHE_PROTOCOL_EXPLANATION_H
#define HIPCACHE_PROTOCOL_EXPLANATION_H

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hipcache::protocol {

// Ties: what keeps a step's result on this machine, or in its directory. Part of the answer to --explain.
//
// Problem: a result serves another machine only if that machine gives equal answers to the questions of its path set,
// and makes an equal key. Some questions have an answer that no other machine gives. A miss over there names nothing,
// because the other machine has no earlier compile to compare with.
// Choice: the machine that has the result says what ties it, with the option or setting that lifts the tie.
// docs/remote.md lists every question and every part of a key, with the reason why it travels or does not.

// The numbers are on the wire: add new ones at the end.
enum class TiedBy : std::uint32_t {
  environment = 0,         // name: the program that may read any variable
  variable = 1,            // name, and never a value
  uname = 2,               // the machine's name
  listing = 3,             // name: a directory that packages of any kind fill
  loader_cache = 4,        // all of it; name: the file
  machine_file = 5,        // name: a file that each machine has for itself
  file_time = 6,           // name: a header whose time a precompiled header compares
  equal_times = 7,         // name and other: files of equal content that are one file, or have one time
  processor = 8,           // name: the option or the variable that asks it
  root = 9,                // name: a root's path; other: what people call it
  own_name = 10,           // name: a source that asks for its own name; other: the root in that name
  working_directory = 11,  // name
  absolute_path = 12,      // name
  path_in_variable = 13,   // name: a variable that names the working directory; other: that directory
  argument = 14,           // name: an argument whose text counts as typed; other: the root that it names
  joined_path = 15,        // name: the root to which an option may join names
  cuid = 16,               // name: the path that the translation unit's id is made of
  output_place = 17,       // name: an output where no result of a shared cache may be put
};
inline constexpr TiedBy kLastTiedBy = TiedBy::output_place;

struct Tie {
  TiedBy by = TiedBy::environment;
  std::string name;
  std::string other;
  std::uint64_t more = 0;  // further names of that kind, which are left out
  bool operator==(const Tie&) const = default;
};

// "machine", or "directory" if the result serves other machines that have the directory in the same place.
std::string tied_to(TiedBy by);

// "environment", "equal_times": for programs that read JSON.
std::string name_of(TiedBy by);

// One line for users, without control characters, even if a name has some.
std::string describe(const Tie& tie);

// Fills the pattern of a line for users.

// A placeholder, such as "$name", and its value.
using Placeholders = std::vector<std::pair<std::string_view, std::string_view>>;

// The pattern with each placeholder replaced wherever it stands. What is inserted is not searched again. Control
// characters become '?'.
std::string line_of(std::string_view pattern, const Placeholders& placeholders);

// In the order in which differences are reported. The numbers are on the wire: add new ones at the
// end.
enum class Differs : std::uint32_t {
  nothing_stored = 0,    // no compile of this output is stored
  recache = 1,           // stored results are not to be used
  compiler = 2,          // now and was: paths
  argument_added = 3,    // name: one or more arguments, in a row
  argument_removed = 4,  // the same
  argument_moved = 5,    // the same
  // Made by the driver; not shown, as they may reveal a variable's value.
  driver_arguments = 6,
  arch_added = 7,         // name
  arch_removed = 8,       // name
  asked_directory = 9,    // now and was: working directories
  cuid = 10,              // now and was
  terminal = 11,          // name: a standard stream; now and was: whether it is a terminal
  command = 12,           // the command, as spelled
  unknown_step = 13,      // the compared compile had no such step
  program = 14,           // now and was: paths
  input = 15,             // name: the step that made it; now and was: digests
  pending = 16,           // name: the step that has to run first
  variable_changed = 17,  // name, and never a value
  variable_set = 18,
  variable_unset = 19,
  working_directory = 20,
  // name: a root (base directory, build directory) that shows in a result.
  shown_root = 21,
  shown_cuid = 22,  // the translation unit's id, which shows in a result
  appeared = 23,    // name: a path
  vanished = 24,    // the same
  content = 25,     // name: a path; now and was: the first 16 digits of its digests
  // name: a path; now and was: its kind, such as "directory".
  nature = 26,
  link = 27,        // name: a path
  real_path = 28,   // the same
  search = 29,      // name: a program; PATH leads elsewhere for it
  listing = 30,     // name: a path
  same_files = 31,  // which names of equal content are one file
  // name: why the step could not be stored; now: the detail.
  refused = 32,
  gone = 33,                // nothing differs, but the result is no longer stored
  shown_output_names = 34,  // the names of the outputs, which show in a result
  // name: a source that asks for its own name (__FILE__); now: the root in that name.
  own_name = 35,
  // name: the output of the compile that is compared with, if no compile of the request's own output is stored.
  other_output = 36,
  other_base = 37,   // now and was: the directories that differ between the two outputs
  output_name = 38,  // now and was: the outputs' names, which alone differ
  // The translation unit's id, which shows in a result. It differs because the request's arguments do.
  cuid_of_arguments = 39,
  not_split = 40,  // name: why the compile is not taken apart into steps; now: the detail
  tokens = 41,     // name: a path; now: what of its tokens differs
  macro = 42,      // name: of a macro of the command line
  // Only a hit by tokens is stored, and an audit found one wrong.
  token_hits_off = 43,
  whole_sources = 44,  // name: why all bytes of sources count
  own_wrapper = 45,    // name: why the step does not use a wrapper header that was made before
};
inline constexpr Differs kLastDiffers = Differs::own_wrapper;

struct Difference {
  Differs kind = Differs::gone;
  std::string name;
  std::string now;
  std::string was;
  bool operator==(const Difference&) const = default;
};

enum class Verdict : std::uint32_t {
  stored = 0,
  runs = 1,
  depends = 2,  // on the outputs of earlier steps, which must run
  bundles = 3,  // it would run, and puts together what is stored; nothing is compiled
};

struct ExplainedStep {
  std::string name;  // "request", "probe", "device gfx906", "bundle", "host"
  Verdict verdict = Verdict::stored;
  std::vector<Difference> differences;
  std::uint64_t more = 0;      // number of differences left out
  std::vector<Tie> ties = {};  // what keeps its result here; empty if it travels, or if no result is known
};

struct Explanation {
  // Not empty: the command passes through, or if there are steps, it is not split.
  std::string reason;
  std::string detail;          // the option or file that is the reason
  std::uint32_t compared = 0;  // number of stored compiles of the output that were examined
  ExplainedStep request;
  std::vector<ExplainedStep> steps;
};

inline bool passes_through(const Explanation& explanation) {
  return !explanation.reason.empty() && explanation.steps.empty();
}

// "content", "argument_added": for programs that read JSON.
std::string name_of(Differs kind);

// One line for users, without control characters, even if a name has some.
std::string describe(const Difference& difference);

}  // namespace hipcache::protocol

#endif
