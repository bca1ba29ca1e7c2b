// Why the last run for an output failed, for --explain.
//
// Problem: a failed compile stores nothing, so an explanation of it could only say that nothing is stored. Choice: its
// first error is remembered while the daemon lives. Rejected: the miss history, which is stored and shared, and in
// which a failed compile would be one to compare with.
//
// Outlives all requests. Thread-safe.
#ifndef HIPCACHE_SRC_DAEMON_SHARED_FAILURES_H
#define HIPCACHE_SRC_DAEMON_SHARED_FAILURES_H

#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "hipcache/base/digest.h"

namespace hipcache::daemon {

class Failures {
 public:
  static constexpr std::size_t kMost = 1024;  // when reached, all are forgotten

  // `output`: the key of its miss history. `why`: what to say; "" if the run succeeded.
  void note(const Digest& output, std::string why) {
    const std::lock_guard lock(mutex_);
    if (why.empty()) {
      why_.erase(output);
      return;
    }
    if (why_.size() >= kMost) why_.clear();
    why_[output] = std::move(why);
  }

  // "" if the last run succeeded, or if none is known.
  std::string why(const Digest& output) const {
    const std::lock_guard lock(mutex_);
    const auto known = why_.find(output);
    return known == why_.end() ? "" : known->second;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<Digest, std::string> why_;
};

}  // namespace hipcache::daemon

#endif
