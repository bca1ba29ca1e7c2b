#include "daemon/execute/engine.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "daemon/shared/single_flight.h"

namespace hipcache::daemon {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kWeight = 8;  // of the average so far, against one new cost

std::int64_t ns_of(const timespec& time) { return time.tv_sec * kSecond + time.tv_nsec; }

}  // namespace

const char* reason_of(protocol::ExecuteOutcome outcome) {
  switch (outcome) {
    case protocol::ExecuteOutcome::done:
      return "";
    case protocol::ExecuteOutcome::refused:
      return "engine-refused";
    case protocol::ExecuteOutcome::unavailable:
      return "engine-unavailable";
    case protocol::ExecuteOutcome::lost:
      return "engine-lost-it";
    case protocol::ExecuteOutcome::expired:
      return "no-worker-in-time";
    case protocol::ExecuteOutcome::overdue:
      return "worker-overdue";
    case protocol::ExecuteOutcome::cancelled:
      return "cancelled";
    case protocol::ExecuteOutcome::failed:
      return "engine-failed";
  }
  return "engine-failed";
}

Engine::Stamp Engine::stamp_of(const struct stat& status) {
  return {status.st_dev, status.st_ino, status.st_size, ns_of(status.st_mtim), ns_of(status.st_ctim)};
}

EngineProcess::EngineProcess(std::string program, const config::ExecuteUrl& url, Log& log)
    : process_({.program = std::move(program),
                .settings = {.execute = url.text},
                .receive = [this](protocol::RemoteMessage message) { engine_.receive(std::move(message)); },
                .ended = [this] { engine_.process_ended(); },
                .without = "no step is sent to the engine"},
               log),
      engine_(url, [this](const protocol::RemoteMessage& message) { return process_.send(message); }, log) {}

bool Engine::is_open() {
  const std::lock_guard lock(mutex_);
  return !is_closed_ && actions_.size() < kMostInFlight && Clock::now() >= open_after_;
}

std::optional<std::uint64_t> Engine::start(protocol::RemoteExecute action, int wake_fd) {
  Action flight{.wake_fd = wake_fd,
                .until = Clock::now() + std::chrono::milliseconds(action.queue_limit_ms + action.deadline_ms) + kGrace,
                .files = {},
                .answer = {}};
  for (const protocol::ExecuteInput& input : action.inputs) {
    struct stat status{};
    if (input.source.empty() || !input.sha256.empty() || ::stat(input.source.c_str(), &status) != 0) continue;
    flight.files.emplace(input.source, stamp_of(status));
  }
  {
    const std::lock_guard lock(mutex_);
    action.id = next_id_++;
    actions_.emplace(action.id, std::move(flight));
  }
  if (send_(action)) return action.id;
  {
    const std::lock_guard lock(mutex_);
    actions_.erase(action.id);
  }
  note_failure("hipcache-remote does not run");
  return std::nullopt;
}

std::optional<protocol::RemoteExecuted> Engine::take(std::uint64_t id) {
  std::unique_lock lock(mutex_);
  const auto found = actions_.find(id);
  if (found == actions_.end()) return std::nullopt;
  std::optional<protocol::RemoteExecuted> answer = std::move(found->second.answer);
  const bool is_overdue = !answer && Clock::now() >= found->second.until;
  if (!answer && !is_overdue) return std::nullopt;
  actions_.erase(found);
  lock.unlock();
  if (answer) return answer;
  send_(protocol::RemoteCancel{id});
  return protocol::RemoteExecuted{
      .id = id, .outcome = protocol::ExecuteOutcome::overdue, .detail = "no answer within its limits"};
}

void Engine::forget(std::uint64_t id) {
  std::unique_lock lock(mutex_);
  const auto found = actions_.find(id);
  if (found == actions_.end()) return;
  const bool is_in_flight = !found->second.answer;
  actions_.erase(found);
  lock.unlock();
  if (is_in_flight) send_(protocol::RemoteCancel{id});
}

void Engine::note_success() {
  const std::lock_guard lock(mutex_);
  failures_ = 0;
  next_pause_ = kFirstPause;
}

void Engine::note_failure(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (++failures_ < kMostFailures || Clock::now() < open_after_) return;
  open_after_ = Clock::now() + next_pause_;
  log_.warning("the engine is not asked for " +
               std::to_string(std::chrono::duration_cast<std::chrono::seconds>(next_pause_).count()) + " s: " + why);
  next_pause_ = std::min<Clock::duration>(next_pause_ * 2, kLongestPause);
}

void Engine::close(const std::string& why) {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  log_.error("the engine is not asked any more: " + why);
}

std::uint64_t Engine::typical_us() {
  const std::lock_guard lock(mutex_);
  return typical_us_;
}

void Engine::note_cost(std::uint64_t processor_us) {
  const std::lock_guard lock(mutex_);
  typical_us_ = typical_us_ == 0 ? processor_us : (typical_us_ * (kWeight - 1) + processor_us) / kWeight;
}

std::string Engine::sha256(const struct stat& status) {
  const std::lock_guard lock(mutex_);
  const auto known = hashes_.find(stamp_of(status));
  return known == hashes_.end() ? "" : known->second;
}

void Engine::receive(protocol::RemoteMessage message) {
  auto* executed = std::get_if<protocol::RemoteExecuted>(&message);
  if (const auto* note = std::get_if<protocol::RemoteNote>(&message))
    return log_.write(note->is_warning ? Log::Level::warning : Log::Level::info, note->text);
  if (executed == nullptr) return;
  const std::lock_guard lock(mutex_);
  const auto found = actions_.find(executed->id);
  if (found != actions_.end()) answer(found->second, std::move(*executed));
}

// REQUIRES: mutex_ is held.
void Engine::answer(Action& action, protocol::RemoteExecuted executed) {
  take_hashed(action, executed.hashed);
  action.answer = std::move(executed);
  wake(action.wake_fd);
}

// REQUIRES: mutex_ is held.
void Engine::take_hashed(const Action& action, const std::vector<protocol::HashedInput>& hashed) {
  if (hashes_.size() + hashed.size() > kMostFiles) hashes_.clear();
  for (const protocol::HashedInput& file : hashed)
    if (const auto stamp = action.files.find(file.path); stamp != action.files.end())
      hashes_.insert_or_assign(stamp->second, file.sha256);
}

void Engine::process_ended() {
  const std::lock_guard lock(mutex_);
  for (auto& [id, action] : actions_)
    if (!action.answer)
      answer(action, {.id = id, .outcome = protocol::ExecuteOutcome::unavailable, .detail = "hipcache-remote ended"});
}

}  // namespace hipcache::daemon
