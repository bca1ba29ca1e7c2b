#include "daemon/routes/explain_report.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "daemon/explain/explainer.h"
#include "daemon/explain/request_history.h"
#include "daemon/explain/step_preview.h"
#include "daemon/reply/reply.h"
#include "daemon/reply/request_result.h"
#include "daemon/request/keys.h"
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
ExplainedStep explain_request(const Explainer& explainer, const Request& request, const Services& services,
                              store::Lease& lease, bool all_stored) {
  if (!request.settings.recache &&
      services.actions.look_up(request_key(request), suffices_for(request), request.from, lease))
    return explained("request", Verdict::stored, {});
  Differences differences = explainer.asked();
  if (differences.empty() && all_stored) differences = explainer.observed();
  if (!differences.empty()) put_in_order(differences);
  return explained("request", Verdict::runs, std::move(differences));
}

// If the request is compared with no stored compile, it says so once, and its steps do not repeat it.
Differences unless_said(Differences differences, const Explainer& explainer) {
  return explainer.compared() == 0 ? Differences() : std::move(differences);
}

ExplainedStep explain_probe(const Explainer& explainer, const StepState& probe, const hip::Step* planned,
                            const Request& request) {
  if (probe.hit) return explained(probe.label, Verdict::stored, {});
  return explained(probe.label, Verdict::runs,
                   unless_said(explainer.why(history_step(probe, planned, request.from), {}), explainer));
}

ExplainedStep explain_step(const Explainer& explainer, const StepPreview& step, const Request& request,
                           const std::set<std::string>& missing) {
  const std::string& label = step.work.label;
  HistoryStep now = history_step(step.work, step.planned, request.from);
  if (!step.has_key) now.key = {};
  Differences differences = unless_said(explainer.why(now, step.makers), explainer);
  if (step.has_key || !differences.empty()) return explained(label, Verdict::runs, std::move(differences));
  for (const std::string& maker : step.makers)
    if (missing.contains(maker)) differences.push_back({Differs::pending, maker, "", ""});
  return explained(label, Verdict::depends, std::move(differences));
}

std::vector<ExplainedStep> explain_steps(const Explainer& explainer, const std::vector<StepPreview>& steps,
                                         const Request& request) {
  std::vector<ExplainedStep> all;
  std::set<std::string> missing;
  for (const StepPreview& step : steps) {
    if (step.stored && !request.settings.recache) {
      all.push_back(explained(step.work.label, Verdict::stored, {}));
      continue;
    }
    all.push_back(explain_step(explainer, step, request, missing));
    missing.insert(step.work.label);
  }
  return all;
}

Explanation explain_whole(const Request& request, const Services& services, store::Lease& lease) {
  const Explainer explainer(request, services);
  const StepState work = opaque_step(request);
  const bool stored =
      !request.settings.recache && services.actions.look_up(work.key, work.suffices(), request.from, lease).has_value();
  Explanation explanation;
  explanation.compared = static_cast<std::uint32_t>(explainer.compared());
  explanation.request = explain_request(explainer, request, services, lease, true);
  explanation.steps.push_back(
      stored ? explained(work.label, Verdict::stored, {})
             : explained(work.label, Verdict::runs,
                         unless_said(explainer.why(history_step(work, nullptr, request.from), {}), explainer)));
  return explanation;
}

Explanation explain(protocol::Channel& channel, const Request& request, const Services& services, store::Lease& lease) {
  if (request.invocation.route == compiler::Route::is_opaque) return explain_whole(request, services, lease);
  const Explainer explainer(request, services);  // before the probe runs and is stored
  auto obtained = obtain_plan(channel, request, services, lease, nullptr);
  if (const auto* why = std::get_if<compiler::Uncacheable>(&obtained)) {
    const std::optional<Request> whole = opaque_instead(request, *why);
    return whole ? explain_whole(*whole, services, lease) : explain_passed_through(*why);
  }
  Planned& planned = std::get<Planned>(obtained);
  hip::Plan& plan = planned.plan;
  put_deferred_fatbin_if_proved(plan, request, services, lease);

  Explanation explanation;
  explanation.compared = static_cast<std::uint32_t>(explainer.compared());
  explanation.steps = explain_steps(explainer, preview_steps(plan, request, services, lease), request);
  if (planned.wrapper_probe)
    explanation.steps.insert(explanation.steps.begin(),
                             explain_probe(explainer, *planned.wrapper_probe, &*plan.question, request));
  explanation.steps.insert(explanation.steps.begin(), explain_probe(explainer, planned.probe, nullptr, request));
  const bool all_stored = std::all_of(explanation.steps.begin(), explanation.steps.end(),
                                      [](const ExplainedStep& step) { return step.verdict == Verdict::stored; });
  explanation.request = explain_request(explainer, request, services, lease, all_stored);
  return explanation;
}

}  // namespace

void report_explanation(protocol::Channel& channel, const Request& request, const Services& services,
                        store::Lease& lease) {
  reply(channel, explain(channel, request, services, lease), {}, services);
}

Explanation explain_passed_through(const compiler::Uncacheable& why) {
  Explanation explanation;
  explanation.reason = why.reason;
  explanation.detail = readable(why.detail);
  return explanation;
}

}  // namespace hipcache::daemon
