// Path sets decoded last, so that a hit does not decompress a thousand names again. Dropped least recently used first,
// by the bytes they take; those in use live on with their users. Thread-safe.
#ifndef HIPCACHE_ACTION_DECODED_SETS_H
#define HIPCACHE_ACTION_DECODED_SETS_H

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "hipcache/base/digest.h"
#include "hipcache/inputs/path_set.h"

namespace hipcache::action {

class DecodedSets {
 public:
  explicit DecodedSets(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  // By set id; null if it is not here.
  std::shared_ptr<const inputs::PathSet> find(const Digest& id);
  void insert(std::shared_ptr<const inputs::PathSet> set);
  std::size_t bytes() const;

 private:
  using Order = std::list<std::shared_ptr<const inputs::PathSet>>;

  const std::size_t max_bytes_;
  mutable std::mutex mutex_;
  Order order_;  // used last first
  std::unordered_map<Digest, Order::iterator> places_;
  std::size_t bytes_ = 0;
};

}  // namespace hipcache::action

#endif
