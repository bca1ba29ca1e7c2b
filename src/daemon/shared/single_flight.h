// Single flight: which steps are running now, so that a step which two clients need runs once.
//
// The client that claims a key runs the step. Others register an eventfd, are woken when the claim ends, and look the
// result up again. If a claim ends without a result, the next client to ask gets it.
//
// No wait is unbounded, because a claim's holder may be stopped or stay silent (docs/internals/protocol.md, "Waiting
// for another client's step"). A claim is overdue after twice the duration of the step's last run plus some seconds. A
// waiter then takes the claim over and runs the step as well. Both results are right, and the first to finish is
// recorded. When the first holder ends, it wakes the waiters and does not release the new claim. Once a client is late
// with one report, its other claims are overdue as soon as that one is, even if another client took the late step over.
//
// A waiter that found nothing in the store need not look again until a run of its key has ended; ended() counts these
// ends. The counts are in a fixed-size table indexed by the key's hash. Two keys may share a count (1 in 4096), which
// costs one extra lookup. Rejected: one count for the daemon, because every end made every waiter look again; and a
// count per key, which grows with every key ever run.
//
// Thread-safe. Memory: two entries per running step, kMostTimes remembered times.
#ifndef HIPCACHE_SRC_DAEMON_SHARED_SINGLE_FLIGHT_H
#define HIPCACHE_SRC_DAEMON_SHARED_SINGLE_FLIGHT_H

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>

#include "hipcache/base/digest.h"

namespace hipcache::daemon {

class SingleFlight {
 public:
  using Clock = std::chrono::steady_clock;

  // How long others wait for a claim.
  struct Limits {
    std::chrono::milliseconds slack{5'000};     // beyond twice the time of the step's last run
    std::chrono::milliseconds unknown{60'000};  // if this daemon has not seen the step run
    std::chrono::milliseconds most{600'000};
  };

  // The claim of another client.
  struct Busy {
    std::uint64_t run = 0;    // for take_over()
    pid_t holder = 0;         // the client's process; 0: not known
    Clock::time_point until;  // when the claim becomes overdue
  };

  // Holds the key until it is destroyed, then wakes the waiters.
  class Claim {
   public:
    Claim(SingleFlight& table, const Digest& key, std::uint64_t run) : table_(&table), key_(key), run_(run) {}
    Claim(Claim&& other) noexcept
        : table_(std::exchange(other.table_, nullptr)), key_(other.key_), run_(other.run_), ended_(other.ended_) {}
    Claim& operator=(Claim&& other) noexcept {
      std::swap(table_, other.table_);
      std::swap(key_, other.key_);
      std::swap(run_, other.run_);
      std::swap(ended_, other.ended_);
      return *this;
    }
    ~Claim() {
      if (table_ != nullptr) table_->release(*this);
    }

    // Notes that the step ran to its end. Without this call, the end of the claim only releases the key.
    void note_end() {
      ended_ = Clock::now();
      table_->note_report(*this);
    }

   private:
    friend class SingleFlight;
    SingleFlight* table_;
    Digest key_;
    std::uint64_t run_;
    std::optional<Clock::time_point> ended_;
  };

  SingleFlight() : SingleFlight(Limits{}) {}
  explicit SingleFlight(const Limits& limits) : limits_(limits) {}

  // The claim for the client process `holder` (0: not known). If another client has the claim, returns that one, and
  // `wake_fd` is written to when it ends. REQUIRES: wake_fd stays open until forget(wake_fd).
  std::variant<Claim, Busy> claim(const Digest& key, pid_t holder, int wake_fd);

  // Takes over the claim of that run, which is overdue or whose holder is stopped. Nothing if the run has ended or was
  // already taken over: call claim() again.
  std::optional<Claim> take_over(const Digest& key, std::uint64_t run, pid_t holder);

  // How many runs of the key have ended. While the count is unchanged, a lookup that found nothing need not be
  // repeated.
  std::uint64_t ended(const Digest& key) const;

  // Removes the eventfd from all keys.
  void forget(int wake_fd);

  const Limits& limits() const { return limits_; }

 private:
  static constexpr std::size_t kCounts = 4096;
  static constexpr std::size_t kMostTimes = 4096;  // when exceeded, all are forgotten

  struct Entry {
    std::uint64_t run = 0;
    pid_t holder = 0;
    Clock::time_point began;
    Clock::time_point overdue;  // by its own step's limit
    std::unordered_set<int> waiting;
  };
  struct Unreported {
    pid_t holder = 0;
    Clock::time_point overdue;
  };

  Claim begin(const Digest& key, Entry& entry, pid_t holder);
  Clock::duration limit_for(const Digest& key) const;
  Clock::time_point overdue(const Entry& entry) const;
  void note_report(const Claim& claim);
  void remember(const Digest& key, Clock::duration took);
  void release(const Claim& claim);
  static std::size_t count_of(const Digest& key) { return std::hash<Digest>()(key) % kCounts; }

  const Limits limits_;
  mutable std::mutex mutex_;  // guards all below
  std::uint64_t next_run_ = 0;
  std::array<std::uint64_t, kCounts> ended_{};
  std::unordered_map<Digest, Entry> running_;
  std::unordered_map<std::uint64_t, Unreported> unreported_;  // by run, including runs that were taken over
  std::unordered_map<Digest, Clock::duration> took_;          // the duration of a key's last run
};

// How long a request waits for steps that other clients are running, over all of its steps.
//
// With clients that are alive but never report, each claim would cost the request its limit. So the first overdue claim
// ends the patience for all: the request then waits a short time more for any claim, and afterwards for none. An
// overdue claim that another client took over counts as well.
//
// Rejected: ending all waits at once. All clients that waited for the overdue claim would run that step at the same
// time.
//
// Belongs to a request; used by its session's thread alone.

class WaitBudget {
 public:
  using Clock = SingleFlight::Clock;

  // Whether to keep waiting for another client's claim of that step. `more`: how long the request waits after its first
  // overdue claim.
  bool lasts(const Digest& step, const SingleFlight::Busy& claim, Clock::time_point now, Clock::duration more);
  // The claim that was waited for has ended, and nobody runs the step.
  void note_free(const Digest& step) { awaited_.erase(step); }

 private:
  std::unordered_map<Digest, SingleFlight::Busy> awaited_;  // the last one of each step
  std::optional<Clock::time_point> end_;
};

}  // namespace hipcache::daemon

#endif
