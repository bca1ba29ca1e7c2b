// What -ffile-prefix-map and similar options leave of root names in a result.
//
// A map of the root itself removes the root's name from what the compiler writes. A map of a
// directory above a root leaves the rest of the root's name. For example,
// "-fdebug-prefix-map=/src=." turns "/src/build" into "./build", which a search for "/src/build"
// does not find.
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

  // The roots that places_in may return.
  RootMask places() const;

 private:
  struct Rest {
    RootMask root = 0;
    std::string text;
    bool is_place = false;
  };
  RootMask rests_in(std::string_view bytes, bool is_place) const;
  void add_rests(std::string_view old, const Roots& roots);

  std::vector<Rest> rests_;
  RootMask own_names_ = 0;
};

// Whether an argument maps a directory above that one, or a directory whose name begins so.
bool maps_above(const std::string& directory, const std::vector<std::string>& argv);

}  // namespace hipcache::hip

#endif
