// What -ffile-prefix-map and similar options leave of root names in a result.
//
// A map of the root itself removes the root's name from what the compiler writes. A map of a
// directory above a root leaves the rest of the root's name. For example,
// "-fdebug-prefix-map=/src=." turns "/src/build" into "./build", which a search for "/src/build"
// does not find. clang's debug information leaves such a rest, too: it omits what a file's name shares
// with the compilation directory.
#ifndef HIPCACHE_COMPILER_HIP_PREFIX_MAPS_H
#define HIPCACHE_COMPILER_HIP_PREFIX_MAPS_H

#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/roots.h"

namespace hipcache::hip {

class PrefixMaps {
 public:
  PrefixMaps() = default;  // none

  // Adds the maps of one command, with the driver's or a frontend's options. REQUIRES: the same
  // roots each time.
  void add(const std::vector<std::string>& argv, const Roots& roots);

  // Roots whose names cannot reach a source that asks for its own name (__FILE__), because a map
  // replaces them by text that shows no root. A command with several such maps adds none, since
  // maps could undo each other.
  RootMask own_names() const { return own_names_; }

  // The roots that these bytes may show by the remains of their names. places_in considers maps of
  // a root around this one: the remains are this root's path in that one. left_in considers all
  // other maps.
  RootMask left_in(std::string_view bytes) const;
  RootMask places_in(std::string_view bytes) const;

  // The same for debug information, and for a compilation directory that the command names
  // (-fdebug-compilation-dir=).
  RootMask left_in_debug_information(std::string_view bytes) const;

  // The roots that places_in may return.
  RootMask places() const;

 private:
  struct Rest {
    RootMask root = 0;
    std::string text;
    bool is_place = false;
  };
  RootMask rests_in(std::string_view bytes, bool is_place) const;
  void add_rests(std::string_view old, std::string_view replacement, const Roots& roots);
  void add_compilation_directory(const std::string& directory, const Roots& roots);

  std::vector<Rest> rests_;
  std::vector<Rest> beside_;  // of compilation directories
  RootMask own_names_ = 0;
};

// What remains of the path in clang's debug information: it omits the part that the path shares, by
// whole names, with the compilation directory. With the directory /src/build, /src/one/a.h is
// "one/a.h". "" if they share only "/", or if the directory is below the path, which then appears
// as a whole.
std::string_view left_beside(std::string_view path, std::string_view directory);

// Whether an argument maps a directory above that one, or a directory whose name begins so.
bool maps_above(const std::string& directory, const std::vector<std::string>& argv);

}  // namespace hipcache::hip

#endif
