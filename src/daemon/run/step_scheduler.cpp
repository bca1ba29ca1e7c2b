#include "daemon/run/step_scheduler.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "daemon/audit/audit.h"
#include "daemon/record/output_recorder.h"
#include "daemon/run/plain_run.h"
#include "daemon/run/split_codegen_run.h"
#include "daemon/run/step_report.h"
#include "daemon/shared/single_flight.h"
#include "daemon/step/split_codegen_worth.h"

namespace hipcache::daemon {
namespace {

using namespace std::chrono_literals;

constexpr auto kSendLimit = 10s;     // a client that accepts no message for this long is gone
constexpr auto kReceiveLimit = 10s;  // from the first to the last byte of a message
constexpr auto kLookInterval = 1s;   // how often to check other clients: one that gets stopped wakes nobody

// The answers to questions name temporary files (audit/audit.h).
bool is_compared(const StepSpec& spec) {
  return !spec.prints_plan && (spec.planned == nullptr || spec.planned->kind != hip::StepKind::question);
}

// How a step of a plan runs: one line for each way that is not the plain one.
std::unique_ptr<StepRun> run_of(StepState& state, const StepContext& context) {
  if (state.spec().split_codegen != nullptr) return std::make_unique<SplitCodegenRun>(state, context);
  return std::make_unique<PlainRun>(state, context);
}

}  // namespace

StepScheduler::StepScheduler(const StepContext& context)
    : context_(context),
      services_(context.services),
      client_(peer_process(context.channel.fd())),
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
  if (RemoteSteps::is_on(context_) && !remote_) remote_.emplace(context_, wake_.get());
  prefetch(steps);
  for (;;) {
    if (remote_) take_answers(open);
    drop_pointless(open, steps);
    start_what_can_be(open);
    if (remote_ && !trouble_) race();
    if (is_idle() && (open.empty() || trouble_)) break;
    if (Status waited = wait(); !waited) return waited;
  }
  if (trouble_) return *trouble_;
  return done();
}

// Without shared caches this does nothing. With them, the steps' look-ups then find what these have.
void StepScheduler::prefetch(const std::vector<StepState*>& steps) const {
  const config::Settings& settings = context_.request.settings;
  if (settings.recache || settings.remote.empty() || steps.size() < 2) return;
  std::vector<cache::ActionKey> keys;
  for (const StepState* step : steps) keys.push_back(step->spec().key);
  services_.actions.prefetch(keys, context_.request.from, context_.lease);
}

// After a failure only the steps before it count. The driver would have stopped at the first of them that fails.
void StepScheduler::drop_pointless(std::list<StepState*>& open, const std::vector<StepState*>& steps) {
  const auto failed =
      std::find_if(steps.begin(), steps.end(), [](const StepState* step) { return !step->succeeded(); });
  for (auto step = failed; step != steps.end(); ++step) {
    open.remove(*step);
    if (remote_) remote_->drop(**step);
  }
}

void StepScheduler::start_what_can_be(std::list<StepState*>& open) {
  wants_token_ = false;
  for (auto step = open.begin(); step != open.end() && !trouble_;)
    step = try_start(**step) == Start::blocked ? std::next(step) : open.erase(step);
  if (wants_token_ && remote_ && !trouble_) send_away(open);
  if (!wants_token_) services_.job_slots.forget(wake_.get());
}

// The last steps first: this client begins with the first ones.
void StepScheduler::send_away(std::list<StepState*>& open) {
  for (auto step = open.end(); step != open.begin();) {
    StepState& state = **--step;
    if (!remote_->wants(state)) continue;
    if (const StepState* scan = remote_->scan_for(state)) return send_scan(*scan);
    std::optional<SingleFlight::Claim> claim = this->claim(state);
    if (claim && remote_->send(state, *claim, next_number_++, begin_in_list(state, true))) step = open.erase(step);
  }
}

void StepScheduler::send_scan(const StepState& scan) {
  scan_ = next_number_++;
  if (Status sent = send(scan, *scan_); !sent) trouble_ = sent.error();
}

// This client has nothing else to do: it runs the step that has been with the engine for the longest time.
void StepScheduler::race() {
  StepState* state = remote_->oldest_alone();
  if (state == nullptr || !(running_.empty() || services_.job_slots.is_any_free())) return;
  if (!services_.job_slots.start(running_.empty(), client_, wake_.get())) return;
  if (Status started = start(*state, remote_->give_claim(*state)); !started) {
    services_.job_slots.finish(client_);
    trouble_ = started.error();
  }
}

// Steps that come back from the engine without a result are open again.
void StepScheduler::take_answers(std::list<StepState*>& open) {
  if (trouble_) remote_->drop_all();
  for (RemoteSteps::Ended& ended : remote_->take_answers()) {
    if (!ended.is_taken) {
      open.push_front(ended.state);
      continue;
    }
    tell_ended(*ended.state, ended.clock, true);
    ended.claim.note_end();
    last_word_ = std::chrono::steady_clock::now();
  }
  for (const StepState* winner : remote_->take_winners()) {
    const auto entry = std::find_if(running_.begin(), running_.end(),
                                    [&](const auto& running) { return running.second.state == winner; });
    if (entry == running_.end() || std::exchange(entry->second.is_stopping, true)) continue;
    if (Status sent = context_.channel.send(protocol::StopStep{entry->first}, kSendLimit); !sent)
      trouble_ = sent.error();
  }
}

// Whether the step runs although it is stored: its request is audited.
bool StepScheduler::runs_again(const StepSpec& spec) const {
  if (context_.audit == nullptr || spec.is_proof) return false;
  return is_compared(spec) ? context_.audit->takes_hit() : context_.audit->is_on();
}

bool StepScheduler::found(StepState& state) {
  if (context_.request.settings.recache) return false;
  const StepSpec& spec = state.spec();
  const StepClock clock;
  const std::uint64_t ended = services_.single_flight.ended(spec.key.value);
  if (state.missed == ended) return false;
  std::optional<cache::Hit> hit = context_.look_up(spec.key, spec.suffices());
  if (hit && runs_again(spec)) {
    if (is_compared(spec)) state.audited = std::move(*hit);
    hit.reset();
  }
  if (!hit) {
    state.missed = ended;
    return false;
  }
  state.take(std::move(*hit));
  tell_ended(state, clock, true);
  return true;
}

// The claim, or nothing while another client has it and may still end in time.
std::optional<SingleFlight::Claim> StepScheduler::claim(StepState& state) {
  const Digest& key = state.spec().key.value;
  WaitBudget& wait_budget = *context_.request.wait_budget;
  auto claimed = services_.single_flight.claim(key, client_, wake_.get());
  if (auto* ours = std::get_if<SingleFlight::Claim>(&claimed)) {
    wait_budget.note_free(key);
    return std::move(*ours);
  }
  const auto& other = std::get<SingleFlight::Busy>(claimed);
  const bool stopped = is_stopped(other.holder);
  if (!stopped && wait_budget.lasts(key, other, SingleFlight::Clock::now(), services_.single_flight.limits().slack))
    return std::nullopt;
  std::optional<SingleFlight::Claim> taken = services_.single_flight.take_over(key, other.run, client_);
  if (taken)
    services_.log.info(context_.of_object(state.spec().label + ": the client that runs it is " +
                                          (stopped ? "stopped" : "not waited for any longer") +
                                          "; it is run for another one as well"));
  return taken;
}

// Looks the step up after the claim, because another client may finish it until then. Looks it up without the claim as
// well, because the other client may run the same step on other files.
StepScheduler::Start StepScheduler::try_start(StepState& state) {
  std::optional<SingleFlight::Claim> claim = this->claim(state);
  if (found(state)) return Start::done;
  if (!claim) {
    if (!std::exchange(state.waited, true)) services_.counters.waited();
    return Start::blocked;
  }
  if (!services_.job_slots.start(running_.empty(), client_, wake_.get())) {
    wants_token_ = true;
    return Start::blocked;
  }
  if (Status started = start(state, std::move(*claim)); !started) {
    services_.job_slots.finish(client_);
    trouble_ = started.error();
  }
  return Start::started;
}

Status StepScheduler::start(StepState& state, SingleFlight::Claim claim) {
  tell_runs(state);
  std::unique_ptr<StepRun> own = state.run == nullptr ? run_of(state, context_) : nullptr;
  StepRun* run = own ? own.get() : state.run;
  if (Status prepared = run->prepare(); !prepared) return prepared;
  const std::uint32_t number = next_number_++;
  Running running{&state, std::move(claim), std::move(own), run, {}, begin_in_list(state, false)};
  if (Status sent = send(*run->next(), number); !sent) return sent;
  running_.emplace(number, std::move(running));
  return done();
}

void StepScheduler::tell_runs(const StepState& state) const {
  const StepSpec& spec = state.spec();
  if (context_.observer == nullptr || !context_.observer->wants_reasons() || spec.is_proof || spec.is_repeated ||
      state.audited)
    return;
  std::vector<std::string> makers;
  for (const GivenInput& input : state.given) makers.push_back(input.step->spec().label);
  context_.observer->step_runs(context_, history_step(state, context_.request.from), makers);
}

Status StepScheduler::send(const StepState& state, std::uint32_t number) {
  return context_.channel.send(run_message(state.spec(), number, context_), kSendLimit);
}

// Waits for a report of this client or for a wake-up: another client's step has ended, or a job slot is free. Returns
// after kLookInterval at the latest, so that other clients are checked.
Status StepScheduler::wait() {
  pollfd ready[] = {{.fd = context_.channel.fd(), .events = POLLIN, .revents = 0},
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
  return context_.channel.send(protocol::KeepWaiting{}, kSendLimit);
}

Status StepScheduler::take_report() {
  Result<protocol::Received> received = context_.channel.receive(kReceiveLimit);
  if (!received) return received.error();
  const auto* report = std::get_if<protocol::StepDone>(&received->message);
  if (report == nullptr) return Error{"the client sent something other than the report of a step"};
  if (report->step == scan_) {
    scan_.reset();
    remote_->take_scan(*report);
    return done();
  }
  const auto entry = running_.find(report->step);
  if (entry == running_.end()) return Error{"the client reported a step that it was not given"};
  // An unusable run ends the request, but only after the other steps have ended, so that the client has no children
  // left.
  StepState& state = *entry->second.state;
  StepRun& run = *entry->second.run;
  const bool has_run = report->exit_code == 0 && report->spawn_error.empty();
  if (entry->second.is_stopping && !has_run) return take_stopped(entry);
  const Status taken = run.take_in(*report);
  if (!taken) trouble_ = taken.error();
  if (taken && state.audited && state.ended) note_audit(state);
  if (!trouble_ && run.next() != nullptr) return go_on(entry);
  if (remote_) remote_->note_lost(state);
  if (remote_ && taken) remote_->note_end_here(state);
  finish(entry, taken.ok());
  return done();
}

// Has the client run what is next of the step.
Status StepScheduler::go_on(RunningEntry entry) {
  auto running = running_.extract(entry);
  running.key() = next_number_++;
  const auto again = running_.insert(std::move(running)).position;
  return send(*again->second.run->next(), again->first);
}

// The run here was stopped for the sake of the engine's result. If that is of no use after all, it begins anew.
Status StepScheduler::take_stopped(RunningEntry entry) {
  entry->second.is_stopping = false;
  if (!remote_->take_winner(*entry->second.state)) return trouble_ ? (finish(entry, false), done()) : go_on(entry);
  finish(entry, true);
  return done();
}

void StepScheduler::finish(RunningEntry entry, bool is_usable) {
  StepState& state = *entry->second.state;
  tell_ended(state, entry->second.clock, is_usable);
  entry->second.claim.note_end();
  last_word_ = std::chrono::steady_clock::now();
  if (state.is_stored_later) state.claim.emplace(std::move(entry->second.claim));
  running_.erase(entry);
  services_.job_slots.finish(client_);
}

RunningSteps::Entry StepScheduler::begin_in_list(const StepState& state, bool is_sent) const {
  const StepSpec& spec = state.spec();
  return services_.running_steps.begin({.object = context_.request.invocation.object,
                                        .label = spec.label,
                                        .arch = spec.planned == nullptr ? "" : spec.planned->arch.name,
                                        .since = std::chrono::steady_clock::now(),
                                        .is_sent = is_sent});
}

void StepScheduler::tell_ended(const StepState& state, const StepClock& clock, bool is_usable) const {
  if (context_.observer != nullptr) context_.observer->step_ended(ended_step(state, clock, is_usable));
}

void StepScheduler::note_audit(StepState& state) const {
  if (!state.succeeded()) audit_failure(state, context_);
  const hip::Step* planned = state.spec().planned;
  if (state.is_found_wrong && planned != nullptr && planned->kind == hip::StepKind::device)
    services_.split_codegen_ledger.refuse(state.spec().key);
}

void StepScheduler::drain_wake_ups() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = read(wake_.get(), &count, sizeof count);
}

}  // namespace hipcache::daemon
