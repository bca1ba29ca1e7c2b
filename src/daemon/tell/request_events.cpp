#include "daemon/tell/request_events.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "daemon/request/step_kinds.h"
#include "hipcache/base/reason.h"
#include "hipcache/base/step_name.h"
#include "hipcache/protocol/explanation.h"

namespace hipcache::daemon {

namespace {

using compiler::Invocation;
using stats::Outcome;

constexpr std::array<std::string_view, 11> kSources{".c",  ".cc", ".cpp", ".cxx", ".C", ".hip",
                                                    ".cu", ".m",  ".mm",  ".s",   ".S"};

bool is_source(std::string_view word) {
  return !word.starts_with('-') &&
         std::any_of(kSources.begin(), kSources.end(), [&](std::string_view ending) { return word.ends_with(ending); });
}

std::string kind_of(const Invocation& invocation) {
  return invocation.route == compiler::Route::planned ? "hip" : label_of(invocation.opaque.making);
}

// The message about a bad setting quotes its value, after the name of the variable or file.
std::string detail_of(const compiler::Uncacheable& why) {
  return why.reason == Reason::bad_configuration ? why.detail.substr(0, why.detail.find(':')) : why.detail;
}

bool is_of_arguments(const protocol::Difference& difference) {
  using protocol::Differs;
  return difference.kind == Differs::argument_added || difference.kind == Differs::argument_removed ||
         difference.kind == Differs::argument_moved;
}

// The lines of --explain, without the values of macros.
void add_reasons(events::StepEvent& event, const protocol::ExplainedStep& told) {
  for (protocol::Difference difference : told.differences) {
    for (std::string* text : {&difference.name, &difference.now, &difference.was})
      *text = is_of_arguments(difference) ? events::without_values(*text) : events::without_macro_values(*text);
    event.why.push_back(protocol::describe(difference));
  }
  event.more = told.more;
  event.is_gone = told.differences.size() == 1 && told.differences.front().kind == protocol::Differs::gone;
}

// A step that is in no plan is the probe, or the run of an opaque compile, which is labelled by its kind.
std::string kind_of(const StepSpec& spec) {
  if (spec.is_proof) return "proof";
  if (spec.prints_plan) return "probe";
  if (spec.planned == nullptr) return spec.label;
  return spec.planned->is_front_end ? kFrontEndStep : traits_of(spec.planned->kind).domain;
}

// A header is no step of the user's architecture, so it counts by its kind.
std::string arch_of(const StepSpec& spec) {
  const bool has_none = spec.planned == nullptr || spec.is_proof || spec.planned->kind == hip::StepKind::preamble;
  return has_none ? "" : spec.planned->arch.name;
}

const char* outcome_of(const StepState& state, bool is_usable) {
  if (state.hit) return "hit";
  return is_usable && state.succeeded() ? "run" : "failed";
}

std::string refusal_of(const StepResult& result) {
  const std::string reason = text_of(result.refusal.reason);
  return result.refusal.detail.empty() ? reason : reason + ": " + result.refusal.detail;
}

// Without the request's id, and without the reasons for its run.
events::StepEvent event_of(const StepState& state, const StepClock& clock, bool is_usable) {
  const StepSpec& spec = state.spec();
  events::StepEvent event{.start_us = clock.start_us(),
                          .duration_us = clock.elapsed_us(),
                          .outcome = outcome_of(state, is_usable),
                          .kind = kind_of(spec),
                          .label = spec.is_proof ? "proof of " + spec.label : spec.label,
                          .arch = arch_of(spec),
                          .saved_us = state.hit ? state.result.duration_us : 0,
                          .processor_saved_us = state.hit ? state.result.processor_time() : 0,
                          .header_saved_us = state.hit || state.preamble == nullptr ? 0 : state.preamble->saves_us,
                          .has_waited = state.waited,
                          .not_stored = state.hit ? "" : refusal_of(state.result),
                          .engine = state.engine};
  for (const cache::Output& output : state.result.outputs) event.bytes += output.size;
  return event;
}

}  // namespace

NamesTyped names_typed(const std::vector<std::string>& argv) {
  NamesTyped names;
  for (std::size_t i = 1; i < argv.size(); ++i) {
    const std::string& word = argv[i];
    if (word == "-o" && i + 1 < argv.size())
      names.object = argv[++i];
    else if (word.starts_with("-o") && word.size() > 2)
      names.object = word.substr(2);
    else if (names.source.empty() && is_source(word))
      names.source = word;
  }
  return names;
}

RequestEvents::RequestEvents(const protocol::CompileRequest& message, const Services& services)
    : services_(services), is_logged_(services.log.takes(Log::Level::info)) {
  NamesTyped names = names_typed(message.argv);
  event_.outcome = name_of(Outcome::aborted);
  event_.start_us = clock_.start_us();
  event_.object = std::move(names.object);
  event_.source = std::move(names.source);
  event_.directory = message.working_directory;
}

RequestEvents::~RequestEvents() {
  if (is_told_ && services_.event_log.is_on()) services_.event_log.add(lines());
}

void RequestEvents::understood(const Request& request) {
  const Invocation& invocation = request.invocation;
  event_.kind = kind_of(invocation);
  if (!invocation.object.empty()) event_.object = invocation.object;
  if (!invocation.source.empty()) event_.source = invocation.source;
  for (const compiler::ArchId& arch : invocation.archs) event_.archs.push_back(arch.name);
}

void RequestEvents::step_runs(const RequestContext& context, const cache::HistoryStep& step,
                              const std::vector<std::string>& makers) {
  Ran& ran = ran_.emplace_back(Ran{&context.request, context.history, step, makers, {}, false});
  if (is_logged_) explain(ran);
}

// The back end of a step in two processes runs because the front end made something else, whatever changed in the
// source.
void RequestEvents::step_ended(const StepState& step, const StepClock& clock, bool is_usable) {
  const cache::ActionKey& key = step.spec().history_key();
  for (Ran& ran : ran_) {
    if (step.hit || !step.result.bitcode || ran.step.key != key) continue;
    ran.step.inputs = {*step.result.bitcode};
    ran.makers = {ran.step.label + " front end"};
  }
  ended_.push_back({key, event_of(step, clock, is_usable)});
}

void RequestEvents::has_result(const cache::ActionResult& result, bool is_found) {
  event_.bytes = 0;
  for (const cache::Output& output : result.outputs) event_.bytes += output.size;
  is_found_ = is_found;
  if (!is_found) return;
  event_.saved_us = result.duration_us;
  event_.processor_saved_us = result.processor_time();
  event_.steps = result.steps;
}

void RequestEvents::replied(const Replied& reply) {
  event_.duration_us = clock_.elapsed_us();
  event_.outcome = name_of(reply.outcome);
  event_.exit_code = reply.exit_code;
  if (reply.why != nullptr) {
    event_.reason = text_of(reply.why->reason);
    event_.detail = detail_of(*reply.why);
  }
  if (is_logged_) log_reply(reply);
  // An opaque request that was tried instead of the client's may be gone in a bypass.
  if (reply.why != nullptr || !services_.event_log.is_on()) return;
  for (Ran& ran : ran_)
    if (!ran.is_explained) explain(ran);
}

void RequestEvents::explain(Ran& ran) {
  ran.told = explained(ran.step.label, protocol::Verdict::runs, explainer_of(ran).why_in_full(ran.step, ran.makers));
  ran.is_explained = true;
  if (is_logged_) log_why(ran);
}

const Explainer& RequestEvents::explainer_of(const Ran& ran) {
  for (const auto& [request, explainer] : explainers_)
    if (request == ran.request) return *explainer;
  // A compile before this one, of this output or of the same source, may still be being recorded. The log would compare
  // with an older one.
  if (is_logged_) services_.pending_writes.wait_for_all();
  auto made = std::make_unique<const Explainer>(*ran.request, ran.history, services_,
                                                is_logged_ ? Compared::all : Compared::newest);
  return *explainers_.emplace_back(ran.request, std::move(made)).second;
}

std::string RequestEvents::name() const { return event_.object.empty() ? event_.source : event_.object; }

void RequestEvents::log_why(const Ran& ran) const {
  std::string line = name() + ": " + ran.step.label + " runs";
  const char* separator = ": ";
  for (const protocol::Difference& difference : ran.told.differences) {
    line += separator + protocol::describe(difference);
    separator = "; ";
  }
  if (ran.told.more > 0) line += "; and " + std::to_string(ran.told.more) + " more";
  services_.log.info(line);
}

void RequestEvents::log_reply(const Replied& reply) const {
  std::string line = name() + ": ";
  if (reply.why == nullptr) {
    const std::uint64_t tenths = event_.duration_us / 100;  // of a millisecond
    line += event_.outcome + " in " + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " ms";
  } else {
    line += reply.outcome == Outcome::passthrough ? "passed through: " : "given up, the client is gone: ";
    line += text_of(reply.why->reason) + (reply.why->detail.empty() ? "" : ": " + reply.why->detail);
  }
  services_.log.info(line);
}

// A step that was asked for twice (the probe, through a wrapper) has two events, and reasons at the first.
std::string RequestEvents::lines() {
  event_.id = services_.event_log.new_id();
  event_.detail = events::without_macro_values(event_.detail);
  std::string all;
  for (Ended& step : ended_) {
    step.event.request = event_.id;
    for (std::string* text : {&step.event.not_stored, &step.event.engine.detail})
      *text = events::without_macro_values(*text);
    if (!is_found_) {
      event_.saved_us += step.event.saved_us;
      event_.processor_saved_us += step.event.processor_saved_us;
    }
    const auto ran = std::find_if(ran_.begin(), ran_.end(), [&](const Ran& one) { return one.step.key == step.key; });
    if (ran != ran_.end() && step.event.outcome != "hit") {
      add_reasons(step.event, ran->told);
      ran_.erase(ran);
    }
    all += events::to_line(step.event);
  }
  return all + events::to_line(event_);
}

}  // namespace hipcache::daemon
