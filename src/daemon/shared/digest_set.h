// A bounded set of digests, kept while the daemon lives. Thread-safe.
#ifndef HIPCACHE_SRC_DAEMON_SHARED_DIGEST_SET_H
#define HIPCACHE_SRC_DAEMON_SHARED_DIGEST_SET_H

#include <cstddef>
#include <mutex>
#include <unordered_set>

#include "hipcache/base/digest.h"

namespace hipcache::daemon {

class DigestSet {
 public:
  static constexpr std::size_t kMost = 4096;  // when reached, the set is cleared and fills again

  void add(const Digest& key) {
    const std::lock_guard lock(mutex_);
    if (keys_.size() >= kMost) keys_.clear();
    keys_.insert(key);
  }

  bool has(const Digest& key) const {
    const std::lock_guard lock(mutex_);
    return keys_.contains(key);
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_set<Digest> keys_;
};

}  // namespace hipcache::daemon

#endif
