// Ties: what keeps a step's result on this machine, or in its directory. Part of the answer to --explain.
//
// Problem: a result serves another machine only if that machine gives equal answers to the questions of its path set,
// and makes an equal key. Some questions have an answer that no other machine gives. A miss over there names nothing,
// because the other machine has no earlier compile to compare with.
// Choice: the machine that has the result says what ties it, with the option or setting that lifts the tie.
// docs/remote.md lists every question and every part of a key, with the reason why it travels or does not.
#ifndef HIPCACHE_PROTOCOL_TIE_H
#define HIPCACHE_PROTOCOL_TIE_H

#include <cstdint>
#include <string>

namespace hipcache::protocol {

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

}  // namespace hipcache::protocol

#endif
