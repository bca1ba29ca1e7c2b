#include "daemon/shared/job_slots.h"

#include <sched.h>

#include <algorithm>

#include "daemon/shared/single_flight.h"

namespace hipcache::daemon {
namespace {

void add_once(std::deque<int>& waiting, int wake_fd) {
  if (std::find(waiting.begin(), waiting.end(), wake_fd) == waiting.end()) waiting.push_back(wake_fd);
}

}  // namespace

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

RunningSteps::Entry RunningSteps::begin(Step step) {
  const std::scoped_lock lock(mutex_);
  const std::uint64_t number = next_++;
  steps_.emplace(number, std::move(step));
  return {*this, number};
}

std::vector<RunningSteps::Step> RunningSteps::now() const {
  const std::scoped_lock lock(mutex_);
  std::vector<Step> all;
  all.reserve(steps_.size());
  for (const auto& [number, step] : steps_) all.push_back(step);
  return all;
}

void RunningSteps::end(std::uint64_t number) {
  const std::scoped_lock lock(mutex_);
  steps_.erase(number);
}

bool JobSlots::start(bool first_of_session, pid_t holder, int wake_fd) {
  const std::lock_guard lock(mutex_);
  offered_.erase(wake_fd);
  // A slot offered to another session is taken.
  if (!first_of_session && running_ + offered_.size() >= total_ && places_taken() >= total_) {
    add_once(waiting_, wake_fd);
    return false;
  }
  ++running_;
  ++held_[holder];
  return true;
}

bool JobSlots::start_spare(pid_t holder, int wake_fd) {
  const std::lock_guard lock(mutex_);
  if (!waiting_.empty() || (running_ + offered_.size() >= total_ && places_taken() >= total_)) {
    add_once(waiting_spare_, wake_fd);
    return false;
  }
  ++running_;
  ++held_[holder];
  return true;
}

void JobSlots::finish(pid_t holder) {
  const std::lock_guard lock(mutex_);
  --running_;
  if (const auto held = held_.find(holder); held != held_.end() && --held->second == 0) held_.erase(held);
  wake_waiting();
}

void JobSlots::forget(int wake_fd) {
  const std::lock_guard lock(mutex_);
  std::erase(waiting_spare_, wake_fd);
  if (std::erase(waiting_, wake_fd) + offered_.erase(wake_fd) != 0) wake_waiting();
}

unsigned JobSlots::running() const {
  const std::lock_guard lock(mutex_);
  return running_;
}

bool JobSlots::is_any_free() const {
  const std::lock_guard lock(mutex_);
  return waiting_.empty() && running_ + offered_.size() < total_;
}

// Counts offered slots, but not the steps of stopped clients.
unsigned JobSlots::places_taken() {
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_ >= look_again_) {
    looked_ = now;
    held_by_stopped_ = 0;
    for (const auto& [holder, steps] : held_)
      if (is_stopped(holder)) held_by_stopped_ += steps;
  }
  return running_ - std::min(running_, held_by_stopped_) + static_cast<unsigned>(offered_.size());
}

// No slot is kept for those who wait for a spare one: whoever of them comes first gets it.
void JobSlots::wake_waiting() {
  if (waiting_.empty() && waiting_spare_.empty()) return;
  unsigned taken = places_taken();
  for (; taken < total_ && !waiting_.empty(); ++taken) {
    wake(waiting_.front());
    offered_.insert(waiting_.front());
    waiting_.pop_front();
  }
  for (; taken < total_ && !waiting_spare_.empty(); ++taken) {
    wake(waiting_spare_.front());
    waiting_spare_.pop_front();
  }
}

unsigned usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  const int count = CPU_COUNT(&set);
  return count > 0 ? static_cast<unsigned>(count) : 1;
}

}  // namespace hipcache::daemon
