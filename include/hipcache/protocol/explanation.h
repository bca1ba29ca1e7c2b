// Why the steps of a compile would run: what differs from the nearest compile that is stored. The answer to --explain,
// and what the log says of a miss.
#ifndef HIPCACHE_PROTOCOL_EXPLANATION_H
#define HIPCACHE_PROTOCOL_EXPLANATION_H

#include <cstdint>
#include <string>
#include <vector>

namespace hipcache::protocol {

// In the order in which differences are told. The numbers are on the wire: new ones go to the end.
enum class Differs : std::uint32_t {
  nothing_stored = 0,     // no compile of this output is
  recache = 1,            // what is stored is not to be used
  compiler = 2,           // now and was: paths
  argument_added = 3,     // name: one or more arguments, as they follow each other
  argument_removed = 4,   // the same
  argument_moved = 5,     // the same
  driver_arguments = 6,   // that the driver made, and that may tell a variable's value
  arch_added = 7,         // name
  arch_removed = 8,       // name
  asked_directory = 9,    // now and was: working directories
  cuid = 10,              // now and was
  colour = 11,            // now: "on" or "off"
  command = 12,           // the command, as spelled
  unknown_step = 13,      // the compared compile had no such step
  program = 14,           // now and was: paths
  input = 15,             // name: the step that made it; now and was: digests
  pending = 16,           // name: the step that has to run first
  variable_changed = 17,  // name, and never a value
  variable_set = 18,
  variable_unset = 19,
  working_directory = 20,
  shown_root = 21,          // name: a root (base directory, build directory), where it shows in a result
  shown_cuid = 22,          // the same of the id of the translation unit
  appeared = 23,            // name: a path
  vanished = 24,            // the same
  content = 25,             // name: a path; now and was: the first 16 digits of its digests
  nature = 26,              // name: a path; now and was: what it is, as "directory"
  link = 27,                // name: a path
  real_path = 28,           // the same
  search = 29,              // name: a program; PATH leads elsewhere for it
  listing = 30,             // name: a path
  same_files = 31,          // which names of equal content are one file
  refused = 32,             // name: why the step could not be stored; now: the detail
  gone = 33,                // nothing differs, but the result is not stored any more
  shown_output_names = 34,  // the names of the outputs, where they show in a result
  own_name = 35,            // name: a source that asks for its own name (__FILE__); now: the root in that name
};
inline constexpr Differs kLastDiffers = Differs::own_name;

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
  depends = 2,  // on what steps before it make, which have to run
};

struct ExplainedStep {
  std::string name;  // "request", "probe", "device gfx906", "bundle", "host"
  Verdict verdict = Verdict::stored;
  std::vector<Difference> differences;
  std::uint64_t more = 0;  // that are not told
};

struct Explanation {
  std::string reason;  // not empty: the command passes through, and nothing but the detail is set
  std::string detail;
  std::uint32_t compared = 0;  // stored compiles of the output that were looked at
  ExplainedStep request;
  std::vector<ExplainedStep> steps;
};

// "content", "argument_added": for programs.
std::string name_of(Differs kind);

// One line for users, without control characters whatever the names hold.
std::string describe(const Difference& difference);

}  // namespace hipcache::protocol

#endif
