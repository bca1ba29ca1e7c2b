#include "daemon/execute/engine.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "daemon/shared/client_process.h"

namespace hipcache::daemon {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kWeight = 8;  // of the average so far, against one new cost

std::int64_t ns_of(const timespec& time) { return time.tv_sec * kSecond + time.tv_nsec; }

// Not in place: g++ 12 takes the members that are left out for uninitialized.
protocol::RemoteConfigure settings_of(const config::ExecuteUrl& url) {
  protocol::RemoteConfigure settings;
  settings.execute = url.text;
  return settings;
}

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
                .settings = settings_of(url),
                .receive = [this](protocol::RemoteMessage message) { engine_.receive(std::move(message)); },
                .ended = [this] { engine_.process_ended(); },
                .without = "no step is sent to the engine"},
               log),
      engine_(url, [this](const protocol::RemoteMessage& message) { return process_.send(message); }, log) {}

bool Engine::is_open() {
  const std::lock_guard lock(mutex_);
  return !is_closed_ && Clock::now() >= open_after_;
}

// REQUIRES: mutex_ is held, as for the next ones.
std::size_t Engine::executing() const {
  return static_cast<std::size_t>(std::count_if(actions_.begin(), actions_.end(), [](const auto& action) {
    return action.second.executes && !action.second.answer;
  }));
}

// How many more actions may be sent, places that are given away included. Whoever has a place is about to send.
std::size_t Engine::room() const {
  const auto in_flight = static_cast<std::size_t>(
      std::count_if(actions_.begin(), actions_.end(), [](const auto& action) { return !action.second.answer; }));
  const auto places = static_cast<std::size_t>(
      std::count_if(requests_.begin(), requests_.end(), [](const auto& request) { return request.second.has_place; }));
  const std::size_t executes = executing();
  const std::size_t most = std::min(window_, executes + std::max(kMostQueued, executes / kQueuedPart));
  return most - std::min(most, in_flight + places);
}

bool Engine::has_turn(const Request& request, Clock::time_point now) {
  return !request.has_place && request.told && now - *request.told < kTurn;
}

// Whoever was told counts until its turn is over.
void Engine::wake_longest() {
  const Clock::time_point now = Clock::now();
  const auto turns = static_cast<std::size_t>(
      std::count_if(requests_.begin(), requests_.end(), [&](const auto& one) { return has_turn(one.second, now); }));
  for (std::size_t left = room(); left > turns; --left) {
    auto longest = requests_.end();
    for (auto one = requests_.begin(); one != requests_.end(); ++one) {
      if (one->second.has_place || one->second.told) continue;
      if (longest == requests_.end() || one->second.cost_us > longest->second.cost_us) longest = one;
    }
    if (longest == requests_.end()) return;
    longest->second.told = now;
    wake(longest->first);
  }
}

// Those with a longer step come first, unless they do not come.
bool Engine::may_send(std::uint64_t cost_us, int wake_fd) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  Request& asking = requests_[wake_fd] = {.cost_us = cost_us};
  const auto is_before = [&](const auto& other) {
    const Request& request = other.second;
    return other.first != wake_fd && !request.has_place && request.cost_us > cost_us &&
           (!request.told || has_turn(request, now));
  };
  const auto before = static_cast<std::size_t>(std::count_if(requests_.begin(), requests_.end(), is_before));
  asking.has_place = before < room();
  if (!asking.has_place) wake_longest();
  return asking.has_place;
}

void Engine::withdraw(int wake_fd) {
  const std::lock_guard lock(mutex_);
  if (requests_.erase(wake_fd) != 0) wake_longest();
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
    requests_.erase(wake_fd);
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
  if (is_overdue) wake_longest();
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
  if (is_in_flight) wake_longest();
  lock.unlock();
  if (is_in_flight) send_(protocol::RemoteCancel{id});
}

bool Engine::note_expired() {
  const std::lock_guard lock(mutex_);
  const std::size_t executes = executing();
  if (executes > 0) window_ = executes;
  return executes > 0;
}

void Engine::note_overdue() {
  const std::lock_guard lock(mutex_);
  if (!says_what_waits_) window_ = std::max<std::size_t>(executing() / 2, 1);
}

void Engine::note_success(std::chrono::microseconds whole, std::chrono::microseconds at_worker) {
  const std::lock_guard lock(mutex_);
  failures_ = 0;
  next_pause_ = kFirstPause;
  window_ = window_after(whole, at_worker);
  wake_longest();
}

// REQUIRES: mutex_ is held.
std::size_t Engine::window_after(std::chrono::microseconds whole, std::chrono::microseconds at_worker) const {
  const std::size_t wider = std::min(window_ + 1, kMostInFlight);
  if (says_what_waits_) return wider;
  const double waited = at_worker.count() == 0 ? 0 : static_cast<double>((whole - at_worker - kWayThere).count());
  const double waiting =
      static_cast<double>(window_) * waited / static_cast<double>(std::max<std::int64_t>(whole.count(), 1));
  const double most = std::max(1.0, static_cast<double>(window_) / (kQueuedPart + 1));
  if (waiting >= 2 * most) return std::max<std::size_t>(window_ - 1, 1);
  const bool is_wanted =
      std::any_of(requests_.begin(), requests_.end(), [](const auto& request) { return !request.second.has_place; });
  return waiting < most && is_wanted ? wider : window_;
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
  const auto* event = std::get_if<protocol::RemoteExecuteEvent>(&message);
  const std::lock_guard lock(mutex_);
  if (event != nullptr) return take_state(*event);
  if (executed == nullptr) return;
  const auto found = actions_.find(executed->id);
  if (found != actions_.end()) answer(found->second, std::move(*executed));
}

// A worker that is lost brings its action back into the queue. REQUIRES: mutex_ is held.
void Engine::take_state(const protocol::RemoteExecuteEvent& event) {
  const auto found = actions_.find(event.id);
  if (found == actions_.end()) return;
  found->second.executes = event.state == protocol::ExecuteState::executing;
  if (!found->second.executes && !std::exchange(says_what_waits_, true)) window_ = kMostInFlight;
  wake_longest();
}

// REQUIRES: mutex_ is held.
void Engine::answer(Action& action, protocol::RemoteExecuted executed) {
  take_hashed(action, executed.hashed);
  action.answer = std::move(executed);
  wake(action.wake_fd);
  wake_longest();
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
