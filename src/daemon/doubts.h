// Keys of proofs that failed: not tried again while the daemon lives. Bounded; thread-safe.
#ifndef HIPCACHE_DAEMON_DOUBTS_H
#define HIPCACHE_DAEMON_DOUBTS_H

#include <cstddef>
#include <mutex>
#include <unordered_set>

#include "hipcache/base/digest.h"

namespace hipcache::daemon {

class Doubts {
 public:
  static constexpr std::size_t kMost = 4096;  // then all are forgotten: a proof more is run, and nothing else happens

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
