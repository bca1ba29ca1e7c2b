// Which steps are being run right now, so that a step which two clients need is run once.
//
// Whoever claims a key runs the step; others register a wake-up (an eventfd) and look the result up again when it is
// over. If the runner goes away without a result, the next one to try gets the claim. Thread-safe.
#ifndef HIPCACHE_DAEMON_IN_FLIGHT_H
#define HIPCACHE_DAEMON_IN_FLIGHT_H

#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "hipcache/base/digest.h"

namespace hipcache::daemon {

class InFlight {
 public:
  // Holds the key until it is destroyed, then wakes those who wait for it.
  class Claim {
   public:
    Claim(InFlight& table, const Digest& key) : table_(&table), key_(key) {}
    Claim(Claim&& other) noexcept : table_(std::exchange(other.table_, nullptr)), key_(other.key_) {}
    Claim& operator=(Claim&& other) noexcept {
      std::swap(table_, other.table_);
      std::swap(key_, other.key_);
      return *this;
    }
    ~Claim() {
      if (table_ != nullptr) table_->release(key_);
    }

   private:
    InFlight* table_;
    Digest key_;
  };

  // The claim, or nothing if another has it; then `wake_fd` is written to when that one ends. REQUIRES: wake_fd stays
  // open until forget(wake_fd).
  std::optional<Claim> claim(const Digest& key, int wake_fd);

  // How many claims have ended: as long as that stays the same, nobody has run what was looked up in vain.
  std::uint64_t ended() const;

  // Takes the wake-up out of all keys.
  void forget(int wake_fd);

 private:
  void release(const Digest& key);

  mutable std::mutex mutex_;
  std::uint64_t ended_ = 0;
  std::unordered_map<Digest, std::unordered_set<int>> waiting_;  // a key is in flight while it is in here
};

// Adds one to an eventfd; a full or closed one is nobody's loss.
void wake(int event_fd);

}  // namespace hipcache::daemon

#endif
