#include "daemon/run/step_scheduler.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "daemon/audit/audit.h"
#include "daemon/run/output_recorder.h"
#include "daemon/run/plain_run.h"
#include "daemon/run/preamble_run.h"
#include "daemon/run/split_codegen_run.h"
#include "daemon/shared/client_process.h"
#include "daemon/shared/split_codegen_worth.h"

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
  std::unique_ptr<StepRun> job;
  if (state.spec().split_codegen != nullptr)
    job = std::make_unique<SplitCodegenRun>(state, context);
  else
    job = std::make_unique<PlainRun>(state, context);
  if (!may_use_preamble(state, context)) return job;
  return std::make_unique<PreambleRun>(state, context, std::move(job));
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
  for (const auto& [number, running] : running_) services_.job_slots.finish(client_, running.step.memory);
}

Status StepScheduler::run(const std::vector<StepState*>& steps) {
  if (!wake_) return system_error("cannot make", "an eventfd");
  open_.clear();
  for (StepState* step : steps) open_.push_back({.state = step});
  last_word_ = std::chrono::steady_clock::now();
  if (RemoteSteps::is_on(context_) && !remote_) remote_.emplace(context_, wake_.get());
  prefetch(steps);
  for (;;) {
    if (remote_) take_answers();
    drop_pointless(steps);
    start_what_can_be();
    if (remote_) race();
    if (is_idle() && (open_.empty() || trouble_)) break;
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
void StepScheduler::drop_pointless(const std::vector<StepState*>& steps) {
  const auto failed =
      std::find_if(steps.begin(), steps.end(), [](const StepState* step) { return !step->succeeded(); });
  for (auto step = failed; step != steps.end(); ++step) {
    std::erase_if(open_, [&](const OpenStep& open) { return open.state == *step; });
    if (remote_) remote_->drop(**step);
  }
}

void StepScheduler::start_what_can_be() {
  wants_token_ = false;
  for (auto step = open_.begin(); step != open_.end() && !trouble_;)
    step = try_start(*step) == Start::blocked ? std::next(step) : open_.erase(step);
  if (remote_ && wants_token_ && !trouble_) send_away();
  if (remote_ && !wants_token_) remote_->withdraw();
  if (!wants_token_) services_.job_slots.forget(wake_.get());
}

// Of those that take as long, the last: this client begins with the first ones.
std::list<OpenStep>::iterator StepScheduler::longest_to_send(const std::set<const StepState*>& left_out) {
  auto longest = open_.end();
  std::uint64_t cost_us = 0;
  for (auto step = open_.begin(); step != open_.end(); ++step) {
    if (left_out.contains(step->state)) continue;
    make_run(*step);
    if (!remote_->wants(*step) || remote_->cost_of(*step) < cost_us) continue;
    longest = step;
    cost_us = remote_->cost_of(*step);
  }
  return longest;
}

void StepScheduler::send_away() {
  std::set<const StepState*> left_out;  // what other clients run
  for (;;) {
    const auto step = longest_to_send(left_out);
    if (step == open_.end()) return remote_->withdraw();
    if (const StepState* scan = remote_->scan_for(*step)) return send_scan(*scan);
    if (!remote_->wants(*step)) continue;
    if (!remote_->may_send(remote_->cost_of(*step))) return;
    if (!step->is_begun) step->claim = this->claim(*step->state);
    if (step->claim && remote_->send(*step, next_number_++, begin_in_list(*step->state, true))) {
      open_.erase(step);
      continue;
    }
    left_out.insert(step->state);
    if (!step->is_begun) step->claim.reset();
  }
}

void StepScheduler::send_scan(const StepState& scan) {
  remote_->withdraw();
  scan_ = next_number_++;
  const Status sent = context_.channel.send(run_message(scan.spec(), *scan_, context_), kSendLimit);
  if (!sent) trouble_ = sent.error();
}

// This machine has nothing else to do: it runs the steps that have been with the engine for the longest time.
void StepScheduler::race() {
  while (!trouble_ && remote_->has_alone() &&
         services_.job_slots.start_spare({.client = client_, .wake_fd = wake_.get()}))
    if (Status started = start(remote_->take_oldest_alone()); !started) {
      services_.job_slots.finish(client_, 0);
      trouble_ = started.error();
    }
}

// Steps that come back from the engine without a result are open again, and so are those with another part.
void StepScheduler::take_answers() {
  if (trouble_) remote_->drop_all();
  for (RemoteSteps::Ended& ended : remote_->take_answers()) {
    OpenStep& step = ended.step;
    if (!ended.is_taken || step.its_run().next() != nullptr) {
      step.is_begun = step.is_begun || ended.is_taken;
      if (!step.is_begun) step.claim.reset();
      open_.push_front(std::move(step));
      continue;
    }
    tell_ended(*step.state, step.clock, true);
    step.claim->note_end();
    last_word_ = std::chrono::steady_clock::now();
  }
  for (const StepState* winner : remote_->take_winners()) {
    const auto entry = std::find_if(running_.begin(), running_.end(),
                                    [&](const auto& running) { return running.second.step.state == winner; });
    if (entry == running_.end() || std::exchange(entry->second.is_stopping, true)) continue;
    if (Status sent = context_.channel.send(protocol::StopStep{entry->first}, kSendLimit); !sent)
      trouble_ = sent.error();
  }
}

// Whether the step runs although it is stored: its request is audited, or its hit.
bool StepScheduler::runs_again(const StepSpec& spec, const cache::Hit& stored) const {
  if (context_.audit == nullptr || spec.is_proof) return false;
  return is_compared(spec) ? context_.audit->takes_hit(stored) : context_.audit->is_on();
}

bool StepScheduler::found(StepState& state) {
  if (context_.request.settings.recache) return false;
  const StepSpec& spec = state.spec();
  const StepClock clock;
  const std::uint64_t ended = services_.single_flight.ended(spec.key.value);
  if (state.missed == ended) return false;
  std::optional<cache::Hit> hit = context_.look_up(spec.key, spec.suffices());
  if (hit && runs_again(spec, *hit)) {
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
StepScheduler::Start StepScheduler::try_start(OpenStep& step) {
  StepState& state = *step.state;
  if (!step.is_begun) {
    std::optional<SingleFlight::Claim> claim = this->claim(state);
    if (found(state)) return Start::done;
    if (!claim) {
      if (!std::exchange(state.waited, true)) services_.counters.waited();
      return Start::blocked;
    }
    step.claim.emplace(*std::move(claim));
  }
  const std::uint64_t memory = services_.step_memory.expected(state.spec().key.value, state.spec().label);
  if (!services_.job_slots.start(running_.empty(), {.client = client_, .memory = memory, .wake_fd = wake_.get()})) {
    wants_token_ = true;
    if (!step.is_begun) step.claim.reset();
    return Start::blocked;
  }
  step.memory = memory;
  if (Status started = start(std::move(step)); !started) {
    services_.job_slots.finish(client_, memory);
    trouble_ = started.error();
  }
  return Start::started;
}

void StepScheduler::make_run(OpenStep& step) const {
  if (!step.run && step.state->run == nullptr) step.run = run_of(*step.state, context_);
}

// REQUIRES: the step has its claim.
Status StepScheduler::start(OpenStep step) {
  if (step.state->audited && !step.is_begun) step.run.reset();  // found since: such a step runs as one
  make_run(step);
  if (!step.is_begun) {
    tell_runs(*step.state);
    step.clock = StepClock();
    if (Status prepared = step.its_run().prepare(); !prepared) return prepared;
  }
  const std::uint32_t number = next_number_++;
  RunningSteps::Entry in_list = begin_in_list(*step.state, false);
  Running running{std::move(step), std::move(in_list)};
  if (Status sent = send(running.step, number); !sent) return sent;
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

Status StepScheduler::send(const OpenStep& step, std::uint32_t number) {
  StepRun& run = step.its_run();
  protocol::RunStep message = run_message(run.next()->spec(), number, context_);
  run.adapt(message);
  return context_.channel.send(message, kSendLimit);
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
  StepState& state = *entry->second.step.state;
  StepRun& run = entry->second.step.its_run();
  const bool has_run = report->exit_code == 0 && report->spawn_error.empty();
  if (entry->second.is_stopping && !has_run) return take_stopped(entry);
  if (has_run) services_.step_memory.note(state.spec().key.value, state.spec().label, report->peak_bytes);
  const Status taken = run.take_in(*report);
  if (!taken) trouble_ = taken.error();
  if (taken && state.audited && state.ended) note_audit(state);
  if (remote_) remote_->note_lost(state);
  if (!trouble_ && run.next() != nullptr) return go_on(entry);
  if (remote_ && taken) remote_->note_end_here(state);
  finish(entry, taken.ok());
  return done();
}

// The next part of the step runs in the client, in the same slot. If it may run on a worker, it waits for one or the
// other.
Status StepScheduler::go_on(RunningEntry entry) {
  OpenStep& step = entry->second.step;
  step.is_begun = true;
  entry->second.is_stopping = false;
  if (!remote_ || !remote_->wants(step)) return run_next(entry);
  const std::uint64_t memory = std::exchange(step.memory, 0);
  open_.push_back(std::move(step));
  running_.erase(entry);
  services_.job_slots.finish(client_, memory);
  return done();
}

Status StepScheduler::run_next(RunningEntry entry) {
  auto running = running_.extract(entry);
  running.key() = next_number_++;
  const auto again = running_.insert(std::move(running)).position;
  return send(again->second.step, again->first);
}

// The run here was stopped for the sake of the engine's result. If that is of no use after all, it begins anew.
Status StepScheduler::take_stopped(RunningEntry entry) {
  OpenStep& step = entry->second.step;
  entry->second.is_stopping = false;
  if (remote_->take_winner(*step.state)) {
    if (step.its_run().next() != nullptr) return go_on(entry);
    finish(entry, true);
    return done();
  }
  if (trouble_) {
    finish(entry, false);
    return done();
  }
  if (!step.is_begun && step.run) step.run = run_of(*step.state, context_);
  return run_next(entry);
}

void StepScheduler::finish(RunningEntry entry, bool is_usable) {
  OpenStep& step = entry->second.step;
  tell_ended(*step.state, step.clock, is_usable);
  step.claim->note_end();
  last_word_ = std::chrono::steady_clock::now();
  if (step.state->is_stored_later) step.state->claim = std::move(step.claim);
  const std::uint64_t memory = step.memory;
  running_.erase(entry);
  services_.job_slots.finish(client_, memory);
}

RunningSteps::Entry StepScheduler::begin_in_list(const StepState& state, bool is_sent) const {
  const StepSpec& spec = state.spec();
  return services_.running_steps.begin({.object = context_.request.invocation.object,
                                        .label = spec.label,
                                        .arch = spec.planned == nullptr ? "" : spec.planned->arch.name,
                                        .is_sent = is_sent});
}

void StepScheduler::tell_ended(const StepState& state, const StepClock& clock, bool is_usable) const {
  if (context_.observer != nullptr) context_.observer->step_ended(state, clock, is_usable);
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
