// The path sets of one action key; the set that hit or was recorded last is first.
#ifndef HIPCACHE_SRC_CACHE_SET_LIST_H
#define HIPCACHE_SRC_CACHE_SET_LIST_H

#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/base/result.h"

namespace hipcache::cache {

struct SetReference {
  Digest id;    // of the set's questions
  Digest blob;  // of the set's encoded form, as stored
  bool operator==(const SetReference&) const = default;
};

class SetList {
 public:
  const std::vector<SetReference>& sets() const { return sets_; }

  // Puts the set first and drops sets past kMaxPathSets. False if nothing changed.
  bool move_to_front(const SetReference& set);

  std::string encode() const;
  static Result<SetList> decode(std::string_view bytes);

 private:
  std::vector<SetReference> sets_;
};

}  // namespace hipcache::cache

#endif
