// Draws what is audited: each draw is true with the given probability, independently of all others.
//
// The seed is the caller's: the daemon takes one from the system, tests take a fixed one. Thread-safe.
#ifndef HIPCACHE_SRC_DAEMON_AUDIT_DRAW_H
#define HIPCACHE_SRC_DAEMON_AUDIT_DRAW_H

#include <cstdint>
#include <mutex>
#include <random>

namespace hipcache::daemon {

class AuditDraw {
 public:
  explicit AuditDraw(std::uint64_t seed) : numbers_(seed) {}

  // `share`: 0 never, 1 always.
  bool draw(double share) {
    if (share <= 0) return false;
    const std::lock_guard lock(mutex_);
    return std::bernoulli_distribution(share)(numbers_);
  }

 private:
  std::mutex mutex_;  // guards the next
  std::mt19937_64 numbers_;
};

}  // namespace hipcache::daemon

#endif
