// Which steps are being run right now, so that a step which two clients need is run once.
//
// Whoever claims a key runs the step. Others register a wake-up (an eventfd), are woken when the claim of that key
// ends, and look the result up again. A claim that ends without a result goes to the next one who asks.
//
// No claim is waited for without end: its holder may be stopped, or stay silent. A claim is overdue after twice the
// time that the last run of the step took, plus some seconds; after a fixed time if that is not known. Whoever waits
// then takes the claim over and runs the step as well. Both results are right, and whoever ends first records; the
// first holder's end wakes the waiters and leaves the new claim alone.
//
// A client that is late with the report of one step is not waited for at all: its other claims, and those that it gets
// until it reports, are overdue as soon as the first is. That holds even if the late step was taken over by another.
//
// A waiter that found nothing in the store need not look again until a run of its key has ended: ended() counts these
// ends. The counts are kept in a table of fixed size by the key's hash, so an unrelated key may share one (1 in 4096),
// which costs one look-up. Rejected: one count for the whole daemon, by which every end made every waiter look again; a
// count per key, which grows with every key that was ever run.
//
// Thread-safe. Memory: two entries per running step, kMostTimes remembered times.
#ifndef HIPCACHE_DAEMON_IN_FLIGHT_H
#define HIPCACHE_DAEMON_IN_FLIGHT_H

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

class InFlight {
 public:
  using Clock = std::chrono::steady_clock;

  // How long a claim is waited for.
  struct Limits {
    std::chrono::milliseconds slack{5'000};     // beyond twice the time of the step's last run
    std::chrono::milliseconds unknown{60'000};  // if this daemon has not seen the step run
    std::chrono::milliseconds most{600'000};
  };

  // The claim of another client.
  struct Busy {
    std::uint64_t run = 0;    // for take_over()
    pid_t holder = 0;         // the client's process; 0: not known
    Clock::time_point until;  // overdue from then on
  };

  // Holds the key until it is destroyed, then wakes those who wait for it.
  class Claim {
   public:
    Claim(InFlight& table, const Digest& key, std::uint64_t run) : table_(&table), key_(key), run_(run) {}
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

    // The step ran to its end. Without this the end of the claim says only that somebody else may have it.
    void note_end() {
      ended_ = Clock::now();
      table_->note_report(*this);
    }

   private:
    friend class InFlight;
    InFlight* table_;
    Digest key_;
    std::uint64_t run_;
    std::optional<Clock::time_point> ended_;
  };

  InFlight() : InFlight(Limits{}) {}
  explicit InFlight(const Limits& limits) : limits_(limits) {}

  // The claim for the client with the process `holder` (0: not known); or whose it is, and `wake_fd` is written to when
  // that one ends. REQUIRES: wake_fd stays open until forget(wake_fd).
  std::variant<Claim, Busy> claim(const Digest& key, pid_t holder, int wake_fd);

  // The claim of that run, which is overdue or whose holder is stopped. Nothing if that run has ended, or has been
  // taken over by another: then claim() tells more.
  std::optional<Claim> take_over(const Digest& key, std::uint64_t run, pid_t holder);

  // How many runs of the key have ended. As long as that stays the same, nobody has run what was looked up in vain.
  std::uint64_t ended(const Digest& key) const;

  // Takes the wake-up out of all keys.
  void forget(int wake_fd);

  const Limits& limits() const { return limits_; }

 private:
  static constexpr std::size_t kCounts = 4096;
  static constexpr std::size_t kMostTimes = 4096;  // then all are forgotten

  struct Entry {
    std::uint64_t run = 0;
    pid_t holder = 0;
    Clock::time_point began;
    Clock::time_point overdue;  // by the time of its own step
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
  std::unordered_map<std::uint64_t, Unreported> unreported_;  // by run, also of runs that were taken over
  std::unordered_map<Digest, Clock::duration> took_;          // the last run of a key
};

// Adds one to an eventfd; a full or closed one is nobody's loss.
void wake(int event_fd);

}  // namespace hipcache::daemon

#endif
