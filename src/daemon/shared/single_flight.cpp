#include "daemon/shared/single_flight.h"

#include <algorithm>

#include "daemon/shared/client_process.h"

namespace hipcache::daemon {

bool WaitBudget::lasts(const Digest& step, const SingleFlight::Busy& claim, Clock::time_point now,
                       Clock::duration more) {
  const SingleFlight::Busy& before = awaited_.try_emplace(step, claim).first->second;
  const bool met_overdue = now >= claim.until || (before.run != claim.run && now >= before.until);
  if (met_overdue && !end_) end_ = now + more;
  awaited_[step] = claim;
  return now < claim.until && (!end_ || now < *end_);
}

std::variant<SingleFlight::Claim, SingleFlight::Busy> SingleFlight::claim(const Digest& key, pid_t holder,
                                                                          int wake_fd) {
  const std::lock_guard lock(mutex_);
  const auto [at, is_new] = running_.try_emplace(key);
  Entry& entry = at->second;
  if (is_new) return begin(key, entry, holder);
  entry.waiting.insert(wake_fd);
  return Busy{entry.run, entry.holder, overdue(entry)};
}

std::optional<SingleFlight::Claim> SingleFlight::take_over(const Digest& key, std::uint64_t run, pid_t holder) {
  const std::lock_guard lock(mutex_);
  const auto entry = running_.find(key);
  if (entry == running_.end() || entry->second.run != run) return std::nullopt;
  return begin(key, entry->second, holder);
}

std::uint64_t SingleFlight::ended(const Digest& key) const {
  const std::lock_guard lock(mutex_);
  return ended_[count_of(key)];
}

void SingleFlight::forget(int wake_fd) {
  const std::lock_guard lock(mutex_);
  for (auto& [key, entry] : running_) entry.waiting.erase(wake_fd);
}

SingleFlight::Claim SingleFlight::begin(const Digest& key, Entry& entry, pid_t holder) {
  entry.run = next_run_++;
  entry.holder = holder;
  entry.began = Clock::now();
  entry.overdue = entry.began + limit_for(key);
  unreported_[entry.run] = {holder, entry.overdue};
  return {*this, key, entry.run};
}

SingleFlight::Clock::duration SingleFlight::limit_for(const Digest& key) const {
  const auto known = took_.find(key);
  if (known == took_.end()) return limits_.unknown;
  return std::min<Clock::duration>(2 * known->second + limits_.slack, limits_.most);
}

// A run that was reported only waits for the store, so what its client does meanwhile does not matter.
SingleFlight::Clock::time_point SingleFlight::overdue(const Entry& entry) const {
  Clock::time_point first = entry.overdue;
  if (entry.holder == 0 || !unreported_.contains(entry.run)) return first;
  for (const auto& [run, other] : unreported_)
    if (other.holder == entry.holder) first = std::min(first, other.overdue);
  return first;
}

void SingleFlight::note_report(const Claim& claim) {
  const std::lock_guard lock(mutex_);
  unreported_.erase(claim.run_);
}

void SingleFlight::remember(const Digest& key, Clock::duration took) {
  if (took_.size() >= kMostTimes) took_.clear();
  took_[key] = took;
}

// Writes the wake-ups under the lock, so that none is written after forget() has returned. The duration of a run that
// was taken over is not kept, because its client may have been stopped meanwhile.
void SingleFlight::release(const Claim& claim) {
  const std::lock_guard lock(mutex_);
  unreported_.erase(claim.run_);
  if (claim.ended_) ++ended_[count_of(claim.key_)];
  const auto at = running_.find(claim.key_);
  if (at == running_.end()) return;
  Entry& entry = at->second;
  const bool was_taken_over = entry.run != claim.run_;
  if (was_taken_over && !claim.ended_) return;
  for (const int fd : entry.waiting) wake(fd);
  entry.waiting.clear();
  if (was_taken_over) return;
  if (claim.ended_) remember(claim.key_, *claim.ended_ - entry.began);
  running_.erase(at);
}

}  // namespace hipcache::daemon
