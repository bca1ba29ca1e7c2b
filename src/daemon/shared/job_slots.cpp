#include "daemon/shared/job_slots.h"

#include <sched.h>

#include <algorithm>

#include "daemon/shared/single_flight.h"

namespace hipcache::daemon {
namespace {

template <typename List, typename Entry>
void add_once(List& waiting, const Entry& entry) {
  const auto is_same = [&](const Entry& one) { return one.wake_fd == entry.wake_fd; };
  if (std::none_of(waiting.begin(), waiting.end(), is_same)) waiting.push_back(entry);
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

bool JobSlots::start(bool first_of_session, const Wish& wish) {
  const BuildTool tool = tool_of(wish.client);
  const std::lock_guard lock(mutex_);
  offered_.erase(wish.wake_fd);
  // A slot offered to another session is taken.
  if (!first_of_session && !(has_slot_for(tool) && has_memory_for(wish))) {
    add_once(waiting_, Waiting{wish.wake_fd, tool});
    return false;
  }
  take(wish, tool);
  return true;
}

bool JobSlots::start_spare(const Wish& wish) {
  const BuildTool tool = tool_of(wish.client);
  const std::lock_guard lock(mutex_);
  if (!waiting_.empty() || !has_slot_for(tool) || !has_memory_for(wish)) {
    add_once(waiting_spare_, Waiting{wish.wake_fd, tool});
    return false;
  }
  take(wish, tool);
  return true;
}

// Of a client that runs a step it is known. Else the kernel is asked, some twenty times, without the lock.
BuildTool JobSlots::tool_of(pid_t client) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto held = held_.find(client); held != held_.end()) return held->second.tool;
  }
  return room_.build_tool(client);
}

unsigned JobSlots::steps_below(const BuildTool& tool) const {
  unsigned steps = 0;
  for (const auto& [client, held] : held_) steps += held.tool == tool ? held.steps : 0;
  for (const auto& [wake_fd, of] : offered_) steps += of == tool ? 1 : 0;
  return steps;
}

bool JobSlots::is_within_jobs(const BuildTool& tool) const { return tool.jobs == 0 || steps_below(tool) < tool.jobs; }

// What the running steps have taken of it already is not known, so all of it counts.
bool JobSlots::has_memory_for(const Wish& wish) const {
  return wish.memory == 0 || room_.available_memory(wish.client) >= wish.memory + memory_;
}

bool JobSlots::has_slot_for(const BuildTool& tool) {
  return (running_ + offered_.size() < total_ || places_taken() < total_) && is_within_jobs(tool);
}

void JobSlots::take(const Wish& wish, const BuildTool& tool) {
  ++running_;
  memory_ += wish.memory;
  Held& held = held_[wish.client];
  ++held.steps;
  held.tool = tool;
}

void JobSlots::finish(pid_t client, std::uint64_t memory) {
  const std::lock_guard lock(mutex_);
  --running_;
  memory_ -= std::min(memory_, memory);
  if (const auto held = held_.find(client); held != held_.end() && --held->second.steps == 0) held_.erase(held);
  wake_waiting();
}

void JobSlots::forget(int wake_fd) {
  const std::lock_guard lock(mutex_);
  const auto is_it = [&](const Waiting& one) { return one.wake_fd == wake_fd; };
  std::erase_if(waiting_spare_, is_it);
  if (std::erase_if(waiting_, is_it) + offered_.erase(wake_fd) != 0) wake_waiting();
}

unsigned JobSlots::running() const {
  const std::lock_guard lock(mutex_);
  return running_;
}

bool JobSlots::is_any_free() const {
  const std::lock_guard lock(mutex_);
  return waiting_.empty() && running_ + offered_.size() < total_;
}

bool JobSlots::is_idle(const Wish& wish) const {
  const std::lock_guard lock(mutex_);
  return waiting_.empty() && running_ + offered_.size() < total_ && has_memory_for(wish) &&
         std::all_of(held_.begin(), held_.end(), [&](const auto& held) { return is_within_jobs(held.second.tool); });
}

// Counts offered slots, but not the steps of stopped clients.
unsigned JobSlots::places_taken() {
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_ >= look_again_) {
    looked_ = now;
    held_by_stopped_ = 0;
    for (const auto& [client, held] : held_)
      if (is_stopped(client)) held_by_stopped_ += held.steps;
  }
  return running_ - std::min(running_, held_by_stopped_) + static_cast<unsigned>(offered_.size());
}

// No slot is kept for those who wait for a spare one: whoever of them comes first gets it.
void JobSlots::wake_waiting() {
  if (waiting_.empty() && waiting_spare_.empty()) return;
  unsigned taken = places_taken();
  for (auto one = waiting_.begin(); taken < total_ && one != waiting_.end();) {
    if (!is_within_jobs(one->tool)) {
      ++one;
      continue;
    }
    wake(one->wake_fd);
    offered_.emplace(one->wake_fd, one->tool);
    one = waiting_.erase(one);
    ++taken;
  }
  for (; taken < total_ && !waiting_spare_.empty(); ++taken) {
    wake(waiting_spare_.front().wake_fd);
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
