#include "remote/tiers/circuit.h"

#include <algorithm>

namespace hipcache::remote {

using std::chrono::seconds;

bool Circuit::lets_through() {
  const std::lock_guard lock(mutex_);
  if (!open_until_) return true;
  if (on_trial_ || now_() < *open_until_) return false;
  on_trial_ = true;
  return true;
}

void Circuit::succeeded() {
  const std::lock_guard lock(mutex_);
  if (open_until_ && !on_trial_) return;  // a call from before
  failures_.clear();
  why_.clear();
  open_until_.reset();
  on_trial_ = false;
  next_pause_ = kFirstPause;
}

bool Circuit::failed(const Failure& why, bool was_slow) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = now_();
  if (why.trouble == Trouble::throttled && why.retry_after > seconds(0))
    return open(now, std::min<Clock::duration>(why.retry_after, kLongestPause), why);
  if (open_until_) return on_trial_ && open(now, next_pause_, why);
  why_ = why.message;
  if (was_slow) {
    slow_failures_.push_back(now);
    while (now - slow_failures_.front() > kSlowWindow) slow_failures_.pop_front();
    if (slow_failures_.size() >= kSlowFailures) {
      const std::string times = std::to_string(kSlowFailures) + " look-ups took their time limit; ";
      return open(now, std::max<Clock::duration>(next_pause_, kSlowPause), {why.trouble, times + why.message, {}});
    }
  }
  failures_.push_back(now);
  while (now - failures_.front() > kWindow) failures_.pop_front();
  return failures_.size() >= kFailures && open(now, next_pause_, why);
}

// REQUIRES: mutex_ is held.
bool Circuit::open(Clock::time_point now, Clock::duration pause, const Failure& why) {
  const bool was_open = open_until_.has_value();
  open_until_ = now + pause;
  next_pause_ = std::min<Clock::duration>(std::max(next_pause_, pause) * 2, kLongestPause);
  on_trial_ = false;
  failures_.clear();
  slow_failures_.clear();
  why_ = why.message;
  return !was_open;
}

std::optional<Circuit::Clock::duration> Circuit::pause() {
  const std::lock_guard lock(mutex_);
  if (!open_until_) return std::nullopt;
  return std::max<Clock::duration>(*open_until_ - now_(), Clock::duration(0));
}

std::string Circuit::state() {
  const std::optional<Clock::duration> left = pause();
  const std::lock_guard lock(mutex_);
  if (!left) return why_.empty() ? "ok" : "fails: " + why_;
  const auto whole = std::chrono::ceil<seconds>(*left).count();
  return "not asked for " + std::to_string(whole) + " s: " + why_;
}

}  // namespace hipcache::remote
