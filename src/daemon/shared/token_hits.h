// Whether hits by tokens (cache::Hit::is_by_tokens) are taken.
//
// Problem: such a hit is right only if the compiler sees no more of a source than the path set's weaker questions. If
// an audit finds one of them wrong, a rule behind these questions is wrong, and so may be any other hit that rests on
// it. Choice: from then on this daemon takes none of them. Hits whose sources have the same bytes and whose command has
// the same macros rest on no such rule, and go on. Rejected: a mark in the store, because the next version may have the
// rule right, and nobody would remove the mark.
//
// Outlives all requests. Thread-safe.
#ifndef HIPCACHE_SRC_DAEMON_SHARED_TOKEN_HITS_H
#define HIPCACHE_SRC_DAEMON_SHARED_TOKEN_HITS_H

#include <atomic>
#include <mutex>
#include <string>
#include <utility>

namespace hipcache::daemon {

class TokenHits {
 public:
  bool are_off() const { return are_off_; }

  // `why`: what the audit found, for people. The first reason stays.
  void switch_off(std::string why) {
    const std::lock_guard lock(mutex_);
    if (!are_off_) why_off_ = std::move(why);
    are_off_ = true;
  }

  // Empty while they are taken.
  std::string why_off() const {
    const std::lock_guard lock(mutex_);
    return why_off_;
  }

 private:
  std::atomic<bool> are_off_ = false;
  mutable std::mutex mutex_;  // guards the next
  std::string why_off_;
};

}  // namespace hipcache::daemon

#endif
