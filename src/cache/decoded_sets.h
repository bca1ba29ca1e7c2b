// Recently decoded path sets, so that a hit does not decompress a thousand names again. Bounded by
// bytes; the least recently used set is dropped first. Users may keep a dropped set. Thread-safe.
#ifndef HIPCACHE_SRC_CACHE_DECODED_SETS_H
#define HIPCACHE_SRC_CACHE_DECODED_SETS_H

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "hipcache/base/digest.h"
#include "hipcache/inputs/path_set.h"

namespace hipcache::cache {

class DecodedSets {
 public:
  explicit DecodedSets(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  // Looks up by set id; null if the set is not in memory.
  std::shared_ptr<const inputs::PathSet> find(const Digest& id);
  void insert(std::shared_ptr<const inputs::PathSet> set);
  std::size_t bytes() const;

 private:
  using Order = std::list<std::shared_ptr<const inputs::PathSet>>;

  const std::size_t max_bytes_;
  mutable std::mutex mutex_;
  Order order_;  // most recently used first
  std::unordered_map<Digest, Order::iterator> places_;
  std::size_t bytes_ = 0;
};

}  // namespace hipcache::cache

#endif
