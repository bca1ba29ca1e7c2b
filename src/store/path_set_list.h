// The list of path sets of one action key, and its bytes (docs/internals/formats.md); the set that was added last is
// first.
//
// Thread-safe: nothing is shared.
#ifndef HIPCACHE_SRC_STORE_PATH_SET_LIST_H
#define HIPCACHE_SRC_STORE_PATH_SET_LIST_H

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/store/store.h"

namespace hipcache::store {

class PathSetList {
 public:
  const std::vector<PathSetReference>& sets() const& { return sets_; }
  std::vector<PathSetReference> sets() && { return std::move(sets_); }

  // Puts the set first and drops sets past kMaxPathSets. False if nothing changed.
  bool move_to_front(const PathSetReference& set);

  std::string encode() const;
  static Result<PathSetList> decode(std::string_view bytes);

 private:
  std::vector<PathSetReference> sets_;
};

}  // namespace hipcache::store

#endif
