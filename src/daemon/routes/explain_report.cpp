#include "daemon/routes/explain_report.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "daemon/explain/explainer.h"
#include "daemon/explain/step_preview.h"
#include "daemon/explain/ties.h"
#include "daemon/opaque/opaque_run.h"
#include "daemon/opaque/wrapper_request.h"
#include "daemon/reply/reply.h"
#include "daemon/reply/request_result.h"
#include "daemon/routes/deferred_fatbin.h"
#include "daemon/routes/opaque.h"
#include "daemon/routes/planner.h"
#include "hipcache/base/readable.h"

namespace hipcache::daemon {
namespace {

using cache::HistoryStep;
using protocol::Differs;
using protocol::ExplainedStep;
using protocol::Explanation;
using protocol::Verdict;

// If all steps are stored, what differs belongs to no step, so the request reports what it observed.
ExplainedStep explain_request(const Explainer& explainer, const RequestContext& context, bool all_stored) {
  if (stored_result(context)) return explained("request", Verdict::stored, {});
  Differences differences = explainer.asked();
  if (differences.empty() && all_stored) differences = explainer.observed();
  if (!differences.empty() && explainer.compared() > 0) put_in_order(differences);
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

ExplainedStep explain_probe(const Explainer& explainer, const StepState& state, bool stored,
                            const RequestContext& context) {
  const std::string& label = state.spec().label;
  if (stored) return with_ties(explained(label, Verdict::stored, {}), explainer, state, context);
  Differences differences = unless_said(explainer.why(history_step(state, context.request.from), {}), explainer);
  return with_ties(explained(label, Verdict::runs, std::move(differences)), explainer, state, context);
}

// The only step of the request: it repeats what the request says.
ExplainedStep explain_opaque_step(const Explainer& explainer, const StepState& state, bool stored,
                                  const RequestContext& context) {
  const std::string& label = state.spec().label;
  if (stored) return with_ties(explained(label, Verdict::stored, {}), explainer, state, context);
  Differences differences = explainer.why_in_full(history_step(state, context.request.from), {});
  return with_ties(explained(label, Verdict::runs, std::move(differences)), explainer, state, context);
}

// Whether the step only puts together what earlier steps made.
bool only_bundles(const StepState& state) {
  const hip::Step* planned = state.spec().planned;
  return planned != nullptr && planned->kind == hip::StepKind::bundle && !planned->starts_others;
}

ExplainedStep explain_step(const Explainer& explainer, const StepPreview& step, const RequestContext& context,
                           const std::set<std::string>& missing) {
  const std::string& label = step.state.spec().label;
  HistoryStep now = history_step(step.state, context.request.from);
  if (!step.has_key) now.key = {};
  Differences differences = unless_said(explainer.why(now, step.makers), explainer);
  const Verdict runs = only_bundles(step.state) ? Verdict::bundles : Verdict::runs;
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
    if (step.stored && !context.request.settings.recache) {
      all.push_back(with_ties(explained(label, Verdict::stored, {}), explainer, step.state, context));
      continue;
    }
    all.push_back(explain_step(explainer, step, context, missing));
    missing.insert(label);
  }
  return all;
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
  if (const auto& why = context.request.invocation.not_split) {
    explanation.reason = why->reason;
    explanation.detail = readable(why->detail);
    explanation.request.differences.push_back({Differs::not_split, explanation.reason, explanation.detail, ""});
  }
  explanation.steps.push_back(explain_opaque_step(explainer, step, stored, context));
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
                  : explain_passed_through(*why);
  }
  Planned& planned = std::get<Planned>(obtained);
  const RequestContext context = planned.context(asked);
  put_deferred_fatbin_if_proved(*planned.plan, context);

  Explanation explanation;
  explanation.compared = static_cast<std::uint32_t>(explainer.compared());
  for (const StepState* probe : planned.probes())
    explanation.steps.push_back(explain_probe(explainer, *probe, probe->hit, context));
  for (ExplainedStep& step : explain_steps(explainer, preview_steps(*planned.plan, context), context))
    explanation.steps.push_back(std::move(step));
  const bool all_stored = std::all_of(explanation.steps.begin(), explanation.steps.end(),
                                      [](const ExplainedStep& step) { return step.verdict == Verdict::stored; });
  explanation.request = explain_request(explainer, context, all_stored);
  return explanation;
}

}  // namespace

void report_explanation(const RequestContext& context) {
  const Explanation explanation = explain(context);
  if (explanation.reason == kStartsCompiler) {
    reply_wrapper(context.channel, context.request.compiler, context.services);
    return;
  }
  reply(context.channel, explanation, {}, context.services);
}

Explanation explain_passed_through(const compiler::Uncacheable& why) {
  Explanation explanation;
  explanation.reason = why.reason;
  explanation.detail = readable(why.detail);
  return explanation;
}

}  // namespace hipcache::daemon
