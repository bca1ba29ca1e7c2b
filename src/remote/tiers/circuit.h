// A circuit breaker: keeps a server that fails from costing every look-up its time limit.
//
// Closed, it lets everything through. kFailures failures within kWindow open it: nothing passes for kFirstPause. Of
// failures that took their whole time limit, because of which a compile waited, kSlowFailures within kSlowWindow open
// it for kSlowPause, whatever succeeded between them. Then one call is let through as a trial. If the trial fails, the
// next pause is twice as long, up to kLongestPause; if it succeeds, the circuit is closed. A server that asks for a
// pause (429, 503 with Retry-After) gets it at once.
//
// One for each tier and direction: a server that takes no writes may still answer. Thread-safe.
#ifndef HIPCACHE_SRC_REMOTE_TIERS_CIRCUIT_H
#define HIPCACHE_SRC_REMOTE_TIERS_CIRCUIT_H

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "remote/layout/backend.h"

namespace hipcache::remote {

class Circuit {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::size_t kFailures = 5;
  static constexpr std::size_t kSlowFailures = 3;
  static constexpr std::chrono::seconds kWindow{10};
  static constexpr std::chrono::seconds kSlowWindow{60};
  static constexpr std::chrono::seconds kFirstPause{5};
  static constexpr std::chrono::seconds kSlowPause{60};
  static constexpr std::chrono::seconds kLongestPause{300};

  explicit Circuit(std::function<Clock::time_point()> now = Clock::now) : now_(std::move(now)) {}

  // Whether the call may be made. REQUIRES: succeeded() or failed() follows if it returns true.
  bool lets_through();
  void succeeded();
  // True if this failure opened the circuit. `was_slow`: it took its time limit.
  bool failed(const Failure& why, bool was_slow = false);

  // How long until the next trial; nothing if the circuit is closed.
  std::optional<Clock::duration> pause();
  // "ok"; or why the last call failed; or why the server is not asked, and for how long.
  std::string state();

 private:
  bool open(Clock::time_point now, Clock::duration pause, const Failure& why);

  const std::function<Clock::time_point()> now_;
  std::mutex mutex_;  // guards all below
  std::deque<Clock::time_point> failures_;
  std::deque<Clock::time_point> slow_failures_;
  std::optional<Clock::time_point> open_until_;
  bool on_trial_ = false;
  Clock::duration next_pause_ = kFirstPause;
  std::string why_;  // of the last failure; empty after a success
};

}  // namespace hipcache::remote

#endif
