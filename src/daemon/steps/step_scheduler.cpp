#include "daemon/steps/step_scheduler.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "daemon/shared/client_process.h"

namespace hipcache::daemon {
namespace {

using namespace std::chrono_literals;

constexpr auto kSendLimit = 10s;     // a client that accepts no message for this long is gone
constexpr auto kReceiveLimit = 10s;  // from the first to the last byte of a message
constexpr auto kLookInterval = 1s;   // how often to check other clients: one that gets stopped wakes nobody

}  // namespace

StepScheduler::StepScheduler(protocol::Channel& channel, const Request& request, const Services& services,
                             const RequestDirectory& directory, store::Lease& lease)
    : channel_(channel),
      request_(request),
      services_(services),
      directory_(directory),
      lease_(lease),
      client_(peer_process(channel.fd())),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

StepScheduler::~StepScheduler() {
  services_.single_flight.forget(wake_.get());
  services_.job_slots.forget(wake_.get());
  for (std::size_t left = running_.size(); left > 0; --left) services_.job_slots.finish(client_);
}

Status StepScheduler::run(const std::vector<StepState*>& steps) {
  if (!wake_) return system_error("cannot make", "an eventfd");
  std::list<StepState*> open(steps.begin(), steps.end());
  last_word_ = std::chrono::steady_clock::now();
  for (;;) {
    drop_pointless(open, steps);
    start_what_can_be(open);
    if (running_.empty() && (open.empty() || trouble_)) break;
    if (Status waited = wait(); !waited) return waited;
  }
  if (trouble_) return *trouble_;
  return done();
}

// After a failure only the steps before it count. The driver would have stopped at the first of them that fails.
void StepScheduler::drop_pointless(std::list<StepState*>& open, const std::vector<StepState*>& steps) {
  const auto failed =
      std::find_if(steps.begin(), steps.end(), [](const StepState* step) { return !step->succeeded(); });
  for (auto step = failed; step != steps.end(); ++step) open.remove(*step);
}

void StepScheduler::start_what_can_be(std::list<StepState*>& open) {
  wants_token_ = false;
  for (auto step = open.begin(); step != open.end() && !trouble_;)
    step = try_start(**step) == Start::blocked ? std::next(step) : open.erase(step);
  if (!wants_token_) services_.job_slots.forget(wake_.get());
}

bool StepScheduler::found(StepState& work) {
  if (request_.settings.recache) return false;
  const std::uint64_t ended = services_.single_flight.ended(work.key.value);
  if (work.missed == ended) return false;
  std::optional<cache::Hit> hit = services_.actions.look_up(work.key, work.suffices(), request_.from, lease_);
  if (!hit) {
    work.missed = ended;
    return false;
  }
  work.ended = true;
  work.hit = true;
  work.result = std::move(hit->result);
  work.witnessed = {std::move(hit->path_set), hit->state};
  return true;
}

// The claim, or nothing while another client has it and may still end in time.
std::optional<SingleFlight::Claim> StepScheduler::claim(StepState& work) {
  auto claimed = services_.single_flight.claim(work.key.value, client_, wake_.get());
  if (auto* ours = std::get_if<SingleFlight::Claim>(&claimed)) {
    request_.wait_budget->note_free(work.key.value);
    return std::move(*ours);
  }
  const auto& other = std::get<SingleFlight::Busy>(claimed);
  const bool stopped = is_stopped(other.holder);
  if (!stopped && request_.wait_budget->lasts(work.key.value, other, SingleFlight::Clock::now(),
                                              services_.single_flight.limits().slack))
    return std::nullopt;
  std::optional<SingleFlight::Claim> taken = services_.single_flight.take_over(work.key.value, other.run, client_);
  if (taken)
    services_.log.info(work.label + ": the client that runs it is " +
                       (stopped ? "stopped" : "not waited for any longer") + "; it is run for another one as well");
  return taken;
}

// Looks the step up after the claim, because another client may finish it until then. Looks it up without the claim as
// well, because the other client may run the same step on other files.
StepScheduler::Start StepScheduler::try_start(StepState& work) {
  std::optional<SingleFlight::Claim> claim = this->claim(work);
  if (found(work)) return Start::done;
  if (!claim) {
    if (!std::exchange(work.waited, true)) services_.counters.waited();
    return Start::blocked;
  }
  if (!services_.job_slots.start(running_.empty(), client_, wake_.get())) {
    wants_token_ = true;
    return Start::blocked;
  }
  if (Status started = start(work, std::move(*claim)); !started) {
    services_.job_slots.finish(client_);
    trouble_ = started.error();
  }
  return Start::started;
}

Status StepScheduler::start(StepState& work, SingleFlight::Claim claim) {
  if (work.prepare) {
    if (Status prepared = work.prepare(); !prepared) return prepared;
  }
  Running running{&work, std::move(claim), nullptr};
  if (work.split_codegen != nullptr)
    running.split_codegen = std::make_unique<SplitCodegenRun>(work, request_, services_, directory_, lease_);
  const std::uint32_t number = next_number_++;
  if (Status sent = send(running.split_codegen ? *running.split_codegen->next() : work, number); !sent) return sent;
  running_.emplace(number, std::move(running));
  return done();
}

Status StepScheduler::send(const StepState& work, std::uint32_t number) {
  return channel_.send(run_message(work, number, directory_, services_), kSendLimit);
}

// Waits for a report of this client or for a wake-up: another client's step has ended, or a job slot is free. Returns
// after kLookInterval at the latest, so that other clients are checked.
Status StepScheduler::wait() {
  pollfd ready[] = {{.fd = channel_.fd(), .events = POLLIN, .revents = 0},
                    {.fd = wake_.get(), .events = POLLIN, .revents = 0}};
  const int count = poll(ready, 2, static_cast<int>(std::chrono::milliseconds(kLookInterval).count()));
  if (count < 0 && errno != EINTR) return system_error("cannot wait for", "the client");
  if (count > 0 && ready[1].revents != 0) drain_wake_ups();
  if (count > 0 && ready[0].revents != 0) return take_report();
  return running_.empty() ? keep_client_waiting() : done();
}

Status StepScheduler::keep_client_waiting() {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_word_ < protocol::kKeepWaitingInterval) return done();
  last_word_ = now;
  return channel_.send(protocol::KeepWaiting{}, kSendLimit);
}

Status StepScheduler::take_report() {
  Result<protocol::Received> received = channel_.receive(kReceiveLimit);
  if (!received) return received.error();
  const auto* report = std::get_if<protocol::StepDone>(&received->message);
  if (report == nullptr) return Error{"the client sent something other than the report of a step"};
  const auto entry = running_.find(report->step);
  if (entry == running_.end()) return Error{"the client reported a step that it was not given"};
  // An unusable run ends the request, but only after the other steps have ended, so that the client has no children
  // left.
  if (Status taken = take_in(entry->second, *report); !taken) trouble_ = taken.error();
  const StepState* next = entry->second.split_codegen && !trouble_ ? entry->second.split_codegen->next() : nullptr;
  if (next != nullptr) {
    auto running = running_.extract(entry);
    running.key() = next_number_++;
    return send(*next, running_.insert(std::move(running)).position->first);
  }
  StepState& work = *entry->second.work;
  entry->second.claim.note_end();
  last_word_ = std::chrono::steady_clock::now();
  if (work.store) work.claim.emplace(std::move(entry->second.claim));
  running_.erase(entry);
  services_.job_slots.finish(client_);
  return done();
}

Status StepScheduler::take_in(const Running& running, const protocol::StepDone& report) {
  if (running.split_codegen) return running.split_codegen->take_in(report);
  return daemon::take_in(*running.work, report, request_, directory_, services_, lease_);
}

void StepScheduler::drain_wake_ups() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = read(wake_.get(), &count, sizeof count);
}

}  // namespace hipcache::daemon
