#include "daemon/shared/pending_writes.h"

#include <algorithm>

namespace hipcache::daemon {

PendingWrites::Mark PendingWrites::mark(std::vector<Digest> keys) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t number = next_++;
  marks_.emplace(number, std::move(keys));
  return {*this, number};
}

void PendingWrites::wait_for(const Digest& key, std::chrono::milliseconds limit) {
  wait([&](const Keys& keys) { return std::find(keys.begin(), keys.end(), key) != keys.end(); }, limit);
}

void PendingWrites::wait_for_all(std::chrono::milliseconds limit) {
  wait([](const Keys&) { return true; }, limit);
}

// Marks made during the wait do not count, or a busy daemon could make a client wait forever.
void PendingWrites::wait(const std::function<bool(const Keys&)>& matters, std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  const std::uint64_t now = next_;
  ended_.wait_for(lock, limit, [&] {
    return std::none_of(marks_.begin(), marks_.lower_bound(now),
                        [&](const auto& mark) { return matters(mark.second); });
  });
}

void PendingWrites::end(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  marks_.erase(number);
  ended_.notify_all();
}

}  // namespace hipcache::daemon
