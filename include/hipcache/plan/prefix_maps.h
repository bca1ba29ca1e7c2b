// What -ffile-prefix-map and its kin leave of the roots in a result.
//
// A map of just a root takes the root's name out of what the compiler writes. A map of a directory above a root leaves
// the rest of the root's name: "-fdebug-prefix-map=/src=." makes "./build" of "/src/build", and no look for
// "/src/build" finds that.
#ifndef HIPCACHE_PLAN_PREFIX_MAPS_H
#define HIPCACHE_PLAN_PREFIX_MAPS_H

#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/roots.h"

namespace hipcache::plan {

class PrefixMaps {
 public:
  PrefixMaps() = default;  // none

  // Takes the maps of one command: of the driver's options, or of a frontend's. REQUIRES: the same roots each time.
  void add(const std::vector<std::string>& argv, const Roots& roots);

  // Whose names a source that asks for its own name (__FILE__) cannot get, as they are mapped to what shows no root.
  // More than one map could undo each other: then none is.
  RootMask own_names() const { return own_names_; }

  // What of the roots may be left in these bytes. Of a root within another one that is mapped it is the place in that;
  // of others it may be anything.
  RootMask left_in(std::string_view bytes) const;
  RootMask places_in(std::string_view bytes) const;

  // The roots of which places_in may speak.
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

// Whether an argument maps a directory above that one, or one whose name begins so.
bool maps_above(const std::string& directory, const std::vector<std::string>& argv);

}  // namespace hipcache::plan

#endif
