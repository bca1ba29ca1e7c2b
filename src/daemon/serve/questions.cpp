#include "daemon/serve/questions.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "daemon/execute/action.h"
#include "daemon/execute/engine.h"
#include "daemon/plan/planner.h"
#include "daemon/plan/proofs.h"
#include "daemon/request/request_context.h"
#include "daemon/request/step.h"
#include "daemon/request/step_kinds.h"
#include "daemon/request/wrappers.h"
#include "daemon/run/opaque_run.h"
#include "daemon/run/preamble_run.h"
#include "daemon/serve/reply.h"
#include "daemon/serve/request_result.h"
#include "daemon/shared/client_process.h"
#include "daemon/tell/explainer.h"
#include "daemon/tell/ties.h"
#include "hipcache/base/reason.h"
#include "hipcache/base/text.h"
#include "hipcache/compiler/hip/fatbin_splice.h"
#include "hipcache/compiler/hip/plan.h"
#include "hipcache/protocol/explanation.h"

namespace hipcache::daemon {

namespace {

using cache::HistoryStep;
using protocol::Differs;
using protocol::ExplainedStep;
using protocol::Explanation;
using protocol::PlanReport;
using protocol::PlanStep;
using protocol::Verdict;

// Looks up the steps of a plan without running any: for --plan and --explain.
struct StepPreview {
  StepState state;
  std::vector<std::string> makers;  // labels of the steps that make its inputs, in their order
  bool has_key = false;             // false if an input is not stored, because its digest is unknown
};

struct PreviewedOutput {
  std::string label;
  std::optional<Digest> digest;  // nothing if it is not stored
  std::string fatbin;            // as in hip::StepOutput
};

// By output name.
using MadeByName = std::map<std::string, PreviewedOutput>;

// The digest of what later steps read: the output with its fatbin in it.
std::optional<Digest> digest_of_made(const std::string& name, const MadeByName& made, store::Store& store) {
  const auto output = made.find(name);
  if (output == made.end() || !output->second.digest) return std::nullopt;
  const auto fatbin = made.find(output->second.fatbin);
  if (output->second.fatbin.empty()) return output->second.digest;
  if (fatbin == made.end() || !fatbin->second.digest) return std::nullopt;
  const Result<std::optional<std::string>> object = store.blob(*output->second.digest);
  const Result<std::optional<std::string>> bytes = store.blob(*fatbin->second.digest);
  if (!object || !*object || !bytes || !*bytes) return std::nullopt;
  if (hip::needs_no_fatbin(**object)) return output->second.digest;
  const Result<std::string> filled = hip::splice_fatbin(**object, **bytes);
  return filled ? std::optional(digest_of(*filled)) : std::nullopt;
}

// The digests of the step's inputs, if all of them are known.
std::optional<std::vector<Digest>> inputs_of(const hip::Step& step, const MadeByName& made, store::Store& store) {
  std::vector<Digest> digests;
  for (const std::string& input : step.inputs) {
    const std::optional<Digest> digest = digest_of_made(input, made, store);
    if (!digest) return std::nullopt;
    digests.push_back(*digest);
  }
  return digests;
}

std::vector<std::string> makers_of(const hip::Step& step, const MadeByName& made) {
  std::vector<std::string> labels;
  for (const std::string& input : step.inputs)
    if (const auto maker = made.find(input); maker != made.end()) labels.push_back(maker->second.label);
  return labels;
}

// Looks the step up if it has a key, and adds its outputs to `made`.
void look_up(StepPreview& preview, const RequestContext& context, MadeByName& made) {
  StepState& state = preview.state;
  const StepSpec& spec = state.spec();
  if (preview.has_key)
    if (std::optional<cache::Hit> hit = context.look_up(spec.key, spec.suffices())) state.take(std::move(*hit));
  for (const hip::StepOutput& output : spec.outputs) {
    const cache::Output* stored = state.made(output);
    made[output.name] = {spec.label, stored == nullptr ? std::nullopt : std::optional(stored->blob), output.fatbin};
  }
}

// In the plan's order. REQUIRES: the plan outlives what is returned.
std::vector<StepPreview> preview_steps(const hip::Plan& plan, const RequestContext& context) {
  std::vector<StepPreview> steps;
  MadeByName made;
  for (const hip::Step& step : plan.steps) {
    const std::optional<std::vector<Digest>> inputs = inputs_of(step, made, context.services.store);
    StepSpec spec = spec_of(step, inputs.value_or(std::vector<Digest>{}), context.request, kStoredDirectory);
    steps.push_back(
        {.state = StepState(std::move(spec)), .makers = makers_of(step, made), .has_key = inputs.has_value()});
    look_up(steps.back(), context, made);
  }
  return steps;
}

// Why none is sent, if the user wants an engine.
std::string why_none_is_sent_to(const RequestContext& context) {
  const bool is_wanted = context.services.engine != nullptr || context.request.settings.execute;
  return is_wanted ? why_none_is_sent(context) : "";
}

std::string steps_at_once(const RequestContext& context) {
  const auto [jobs, slots] = context.services.job_slots.limits(peer_process(context.channel.fd()));
  if (jobs == 0 || jobs >= slots) return "";
  return std::to_string(jobs) + ", by the build tool's -j" + std::to_string(jobs);
}

// Where the step runs, if it is not stored.
void forecast_sending(const StepSpec& spec, const RequestContext& context, PlanStep& line) {
  if ((line.stored && !context.request.settings.recache) || !why_none_is_sent(context).empty()) return;
  line.not_sent = why_not_sent(spec, context);
  line.is_sent = line.not_sent.empty();
}

std::vector<PlanStep> steps_of(const hip::Plan& plan, const RequestContext& context) {
  std::vector<PlanStep> steps;
  for (const StepPreview& preview : preview_steps(plan, context)) {
    const StepSpec& spec = preview.state.spec();
    PlanStep& line = steps.emplace_back(PlanStep{.name = spec.label, .stored = preview.state.hit});
    forecast_sending(spec, context, line);
    if (!preview.has_key) continue;
    line.key = spec.key.value.hex();
    line.inputs = context.services.actions.known_inputs(spec.key);
  }
  return steps;
}

PlanReport report_of(const compiler::Uncacheable& why) {
  return {.reason = text_of(why.reason), .detail = readable(why.detail)};
}

PlanReport report_opaque(const RequestContext& context) {
  const StepSpec spec = opaque_spec(context);
  PlanStep step{.name = spec.label,
                .key = spec.key.value.hex(),
                .stored = context.look_up(spec.key, spec.suffices()).has_value(),
                .inputs = context.services.actions.known_inputs(spec.key)};
  forecast_sending(spec, context, step);
  PlanReport report;
  if (const auto& why = context.request.invocation.opaque.not_split) report = report_of(*why);
  report.request_key = step.key;
  report.request_stored = step.stored;
  report.not_sent = why_none_is_sent_to(context);
  report.steps = {std::move(step)};
  return report;
}

// The id of each source, if there are several: "ID of a.hip, ID of b.hip".
std::string ids_of(const hip::Plan& plan, const RequestContext& context) {
  if (!has_id(plan)) return "";
  const hip::SourceIds ids = source_ids_of(context.request, context.services.file_system);
  if (ids.of_source.empty()) return context.request.from.given_cuid();
  std::string list;
  for (const auto& [source, id] : ids.of_source)
    list.append(list.empty() ? "" : ", ").append(id).append(" of ").append(source);
  return list;
}

PlanReport report_on(const RequestContext& asked) {
  if (asked.request.invocation.route == compiler::Route::is_opaque) return report_opaque(asked);
  auto planned = obtain_plan(asked);
  if (const auto* why = std::get_if<compiler::Uncacheable>(&planned)) {
    const std::optional<Request> opaque = opaque_instead(asked.request, *why);
    return opaque ? report_opaque(context_of(asked.channel, *opaque, asked.services, asked.lease, nullptr))
                  : report_of(*why);
  }
  hip::Plan& plan = *std::get<Planned>(planned).plan;
  const RequestContext context = std::get<Planned>(planned).context(asked);
  put_deferred_fatbin_if_proved(plan, context);
  return {.cuid = ids_of(plan, context),
          .request_key = context.key.value.hex(),
          .request_stored = context.look_up(context.key, suffices_for(context.request)).has_value(),
          .steps = steps_of(plan, context),
          .not_sent = why_none_is_sent_to(context),
          .at_once = steps_at_once(context)};
}

template <typename Report>
void send(const Report& report, const RequestContext& context) {
  if (report.reason == text_of(Reason::starts_a_compiler))
    reply_wrapper(context.channel, context.request.compiler, context.services);
  else
    reply(context.channel, report, {}, context.services);
}

// If all steps are stored, what differs belongs to no step, so the request reports what it observed.
ExplainedStep explain_request(const Explainer& explainer, const RequestContext& context, bool all_stored) {
  if (stored_result(context)) return explained("request", Verdict::stored, {});
  Differences differences = explainer.request_differences();
  if (differences.empty() && all_stored) differences = explainer.input_differences();
  if (!differences.empty() && explainer.compared() > 0) put_in_order(differences);
  if (const std::optional<std::string> failure = context.services.failures.find(context.history))
    differences.insert(differences.begin(),
                       {Differs::refused, "its last run failed", readable(as_shown(*failure, context.request)), ""});
  return explained("request", Verdict::runs, std::move(differences));
}

// If the request is compared with no stored compile, it says so once, and its steps do not repeat it.
Differences unless_said(Differences differences, const Explainer& explainer) {
  return explainer.knows_none() ? Differences() : std::move(differences);
}

// Adds what keeps the step's result here: the stored one, or the earlier one of the same command.
ExplainedStep with_ties(ExplainedStep step, const Explainer& explainer, const StepState& state,
                        const RequestContext& context) {
  std::shared_ptr<const inputs::PathSet> set = state.result.witnessed.set;
  if (set == nullptr) set = explainer.earlier_set(history_step(state, context.request.from));
  step.ties = ties_of(state.spec(), set.get(), state.result.outputs, context);
  return step;
}

// A step outside of any plan. That of an opaque compile is the only one, and repeats what the request says.
ExplainedStep explain_single_step(const Explainer& explainer, const StepState& state, bool stored,
                                  const RequestContext& context) {
  const std::string& label = state.spec().label;
  if (stored) return with_ties(explained(label, Verdict::stored, {}), explainer, state, context);
  const HistoryStep now = history_step(state, context.request.from);
  const bool is_opaque = context.request.invocation.route == compiler::Route::is_opaque;
  Differences differences = is_opaque ? explainer.why_in_full(now, {}) : unless_said(explainer.why(now, {}), explainer);
  return with_ties(explained(label, Verdict::runs, std::move(differences)), explainer, state, context);
}

ExplainedStep explain_step(const Explainer& explainer, const StepPreview& step, const RequestContext& context,
                           const std::set<std::string>& missing) {
  const std::string& label = step.state.spec().label;
  HistoryStep now = history_step(step.state, context.request.from);
  if (!step.has_key) now.key = {};
  Differences differences = unless_said(explainer.why(now, step.makers), explainer);
  const Verdict runs = only_bundles(*step.state.spec().planned) ? Verdict::bundles : Verdict::runs;
  if (step.has_key) return with_ties(explained(label, runs, std::move(differences)), explainer, step.state, context);
  if (!differences.empty()) return explained(label, Verdict::runs, std::move(differences));
  for (const std::string& maker : step.makers)
    if (missing.contains(maker)) differences.push_back({Differs::pending, maker, "", ""});
  return explained(label, Verdict::depends, std::move(differences));
}

std::vector<ExplainedStep> explain_steps(const Explainer& explainer, const std::vector<StepPreview>& steps,
                                         const RequestContext& context) {
  std::vector<ExplainedStep> all;
  std::set<std::string> missing;
  for (const StepPreview& step : steps) {
    const std::string& label = step.state.spec().label;
    if (step.state.hit && !context.request.settings.recache) {
      all.push_back(with_ties(explained(label, Verdict::stored, {}), explainer, step.state, context));
      continue;
    }
    all.push_back(explain_step(explainer, step, context, missing));
    if (std::string why = why_no_preamble(step.state.spec(), context); !why.empty())
      all.back().differences.push_back({Differs::own_wrapper, std::move(why), "", ""});
    missing.insert(label);
  }
  return all;
}

Explanation explanation_of(const compiler::Uncacheable& why) {
  Explanation explanation;
  explanation.reason = text_of(why.reason);
  explanation.detail = readable(why.detail);
  return explanation;
}

Explanation explain_opaque(const RequestContext& context) {
  const Explainer explainer(context);
  StepState step(opaque_spec(context));
  std::optional<cache::Hit> hit = context.look_up(step.spec().key, step.spec().suffices());
  const bool stored = hit && !context.request.settings.recache;
  if (hit) step.take(std::move(*hit));
  Explanation explanation;
  explanation.compared = static_cast<std::uint32_t>(explainer.compared());
  explanation.request = explain_request(explainer, context, true);
  if (const auto& why = context.request.invocation.opaque.not_split) {
    explanation.reason = text_of(why->reason);
    explanation.detail = readable(why->detail);
    explanation.request.differences.push_back({Differs::not_split, explanation.reason, explanation.detail, ""});
  }
  explanation.steps.push_back(explain_single_step(explainer, step, stored, context));
  return explanation;
}

Explanation explain(const RequestContext& asked) {
  const Request& request = asked.request;
  if (request.invocation.route == compiler::Route::is_opaque) return explain_opaque(asked);
  const Explainer explainer(asked);  // before the probe runs and is stored
  auto obtained = obtain_plan(asked);
  if (const auto* why = std::get_if<compiler::Uncacheable>(&obtained)) {
    const std::optional<Request> opaque = opaque_instead(request, *why);
    return opaque ? explain_opaque(context_of(asked.channel, *opaque, asked.services, asked.lease, nullptr))
                  : explanation_of(*why);
  }
  Planned& planned = std::get<Planned>(obtained);
  const RequestContext context = planned.context(asked);
  put_deferred_fatbin_if_proved(*planned.plan, context);

  Explanation explanation;
  explanation.compared = static_cast<std::uint32_t>(explainer.compared());
  for (const StepState* probe : planned.probes())
    explanation.steps.push_back(explain_single_step(explainer, *probe, probe->hit, context));
  for (ExplainedStep& step : explain_steps(explainer, preview_steps(*planned.plan, context), context))
    explanation.steps.push_back(std::move(step));
  const bool all_stored = std::all_of(explanation.steps.begin(), explanation.steps.end(),
                                      [](const ExplainedStep& step) { return step.verdict == Verdict::stored; });
  explanation.request = explain_request(explainer, context, all_stored);
  return explanation;
}

}  // namespace

void report_not_cached(const compiler::Uncacheable& why, bool plan_only, protocol::Channel& channel,
                       const Services& services) {
  plan_only ? reply(channel, report_of(why), {}, services) : reply(channel, explanation_of(why), {}, services);
}

void serve_question(protocol::Channel& channel, const protocol::CompileRequest& message, const Services& services) {
  const auto understood = understand(message, services);
  if (const auto* why = std::get_if<compiler::Uncacheable>(&understood))
    return report_not_cached(*why, message.plan_only, channel, services);
  const auto& request = std::get<Request>(understood);
  if (services.wrappers.runs_each_time(request)) {
    reply_wrapper(channel, request.compiler, services);
    return;
  }
  const std::unique_ptr<store::Lease> lease = services.store.lease();
  const RequestContext context = context_of(channel, request, services, *lease, nullptr);
  services.pending_writes.wait_for(context.key.value);
  if (message.plan_only) return send(report_on(context), context);
  services.pending_writes.wait_for_all();  // an explanation may name any compile of the same source
  send(explain(context), context);
}

}  // namespace hipcache::daemon
