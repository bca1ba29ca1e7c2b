// What the daemon remembers while it lives, for all requests, within bounds.
//
// The choice: when the memory is full, it is cleared and fills again. Rejected: the oldest first, because what is lost
// here costs one more look, and an order costs each look-up. Thread-safe.
#ifndef HIPCACHE_SRC_DAEMON_SHARED_BOUNDED_MAP_H
#define HIPCACHE_SRC_DAEMON_SHARED_BOUNDED_MAP_H

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace hipcache::daemon {

template <typename Key, typename Value, std::size_t kMost>
class BoundedMap {
 public:
  void add(const Key& key, Value value) {
    const std::lock_guard lock(mutex_);
    if (known_.size() >= kMost) known_.clear();
    known_.insert_or_assign(key, std::move(value));
  }

  void forget(const Key& key) {
    const std::lock_guard lock(mutex_);
    known_.erase(key);
  }

  std::optional<Value> find(const Key& key) const {
    const std::lock_guard lock(mutex_);
    const auto known = known_.find(key);
    return known == known_.end() ? std::nullopt : std::optional(known->second);
  }

 private:
  mutable std::mutex mutex_;
  std::map<Key, Value> known_;
};

template <typename Key, std::size_t kMost>
class BoundedSet {
 public:
  void add(const Key& key) { keys_.add(key, true); }
  bool has(const Key& key) const { return keys_.find(key).has_value(); }

 private:
  BoundedMap<Key, bool, kMost> keys_;
};

}  // namespace hipcache::daemon

#endif
