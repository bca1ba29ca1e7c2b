#include "daemon/in_flight.h"

#include <unistd.h>

#include <cstdint>

namespace hipcache::daemon {

void wake(int event_fd) {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(event_fd, &one, sizeof one);
}

std::optional<InFlight::Claim> InFlight::claim(const Digest& key, int wake_fd) {
  const std::lock_guard lock(mutex_);
  const auto [entry, is_new] = waiting_.try_emplace(key);
  if (is_new) return std::optional<Claim>(std::in_place, *this, key);
  entry->second.insert(wake_fd);
  return std::nullopt;
}

std::uint64_t InFlight::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void InFlight::forget(int wake_fd) {
  const std::lock_guard lock(mutex_);
  for (auto& [key, waiters] : waiting_) waiters.erase(wake_fd);
}

// The wake-ups are written under the lock, so that none is written to after forget() returned.
void InFlight::release(const Digest& key) {
  const std::lock_guard lock(mutex_);
  ++ended_;
  const auto entry = waiting_.find(key);
  if (entry == waiting_.end()) return;
  for (const int fd : entry->second) wake(fd);
  waiting_.erase(entry);
}

}  // namespace hipcache::daemon
