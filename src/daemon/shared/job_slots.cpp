#include "daemon/shared/job_slots.h"

#include <sched.h>

#include <algorithm>

#include "daemon/shared/client_process.h"
#include "daemon/shared/single_flight.h"

namespace hipcache::daemon {

bool JobSlots::start(bool first_of_session, pid_t holder, int wake_fd) {
  const std::lock_guard lock(mutex_);
  offered_.erase(wake_fd);
  // A slot offered to another session is taken.
  if (!first_of_session && running_ + offered_.size() >= total_ && places_taken() >= total_) {
    if (std::find(waiting_.begin(), waiting_.end(), wake_fd) == waiting_.end()) waiting_.push_back(wake_fd);
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
  std::erase(waiting_, wake_fd);
  if (offered_.erase(wake_fd) != 0) wake_waiting();
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

void JobSlots::wake_waiting() {
  if (waiting_.empty()) return;
  for (unsigned taken = places_taken(); taken < total_ && !waiting_.empty(); ++taken) {
    wake(waiting_.front());
    offered_.insert(waiting_.front());
    waiting_.pop_front();
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
