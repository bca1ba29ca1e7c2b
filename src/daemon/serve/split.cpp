#include "daemon/serve/compile_service.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "daemon/audit/audit.h"
#include "daemon/plan/planner.h"
#include "daemon/plan/proofs.h"
#include "daemon/request/output_places.h"
#include "daemon/request/request.h"
#include "daemon/request/request_context.h"
#include "daemon/request/step.h"
#include "daemon/run/link_worth.h"
#include "daemon/run/output_recorder.h"
#include "daemon/run/step_graph.h"
#include "daemon/run/step_scheduler.h"
#include "daemon/serve/reply.h"
#include "daemon/serve/request_result.h"
#include "daemon/tell/explainer.h"
#include "hipcache/base/reason.h"

namespace hipcache::daemon {
namespace {

using compiler::Uncacheable;

// Asks shared caches at once about all steps that need nothing from others, and about the proof.
void prefetch(const hip::Plan& plan, const RequestContext& context) {
  const config::Settings& settings = context.request.settings;
  if (settings.recache || settings.remote.empty()) return;
  std::vector<cache::ActionKey> keys;
  const auto add = [&](const std::vector<hip::Step>& steps) {
    for (const hip::Step& step : steps)
      if (step.inputs.empty()) keys.push_back(spec_to_look_up(step, context.request).key);
  };
  add(plan.steps);
  if (plan.deferred_fatbin) {
    add(plan.deferred_fatbin->steps);
    keys.push_back(spec_to_look_up(plan.deferred_fatbin->proof, context.request).key);
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  context.services.actions.prefetch(keys, context.request.from, context.lease);
}

// Records the result for the next equal request, and the miss history for explaining a later miss.
void record(const cache::ActionResult& whole, cache::Examined examined, const Planned& planned, const StepGraph& graph,
            const RequestContext& context) {
  const auto observed = record_request(whole, std::move(examined), graph, context);
  if (!observed) return;
  std::vector<const StepState*> steps = planned.probes();
  for (const auto& step : graph.steps()) steps.push_back(step.get());
  record_history(*observed, steps, context);
}

// Compares with the request's own stored result, if that is audited. True if nothing is to be recorded: an equal result
// is stored already, and a request in which the audit found a difference is compiled again the next time.
bool audit(const cache::ActionResult& whole, const cache::Examined& examined, const StepGraph& graph,
           const RequestContext& context) {
  if (context.audit == nullptr) return false;
  const cache::Hit* stored = context.audit->request_hit();
  if (stored == nullptr) return context.audit->found_difference();
  for (const auto& step : graph.steps()) store_filled(*step, context);
  const std::string what = context.of_object("request");
  if (examined.agrees)
    context.audit->compare({.what = what, .key = context.key, .stored = *stored}, whole, 0, context);
  else
    context.audit->note_void(what, "a step of it cannot be compared");
  return true;
}

// The daemon decides first what may be recorded, because the user may change any file once the compile has ended. Then
// it sends the answer, and the user does not wait for the write.
std::optional<Uncacheable> reply_and_record(Conclusion& conclusion, const Planned& planned, const StepGraph& graph,
                                            const StepContext& context) {
  const cache::ActionResult whole = request_result(graph, planned.plan->driver_stderr, context.request.from.roots);
  const stats::Outcome outcome = outcome_of(graph);
  if (context.request.settings.readonly) return reply_success(conclusion, graph, whole, outcome, context);
  cache::Examined examined = examine_request(planned.probes(), graph, context);
  const PendingWrites::Mark pending = context.mark_pending();
  std::optional<Uncacheable> why = reply_success(conclusion, graph, whole, outcome, context);
  if (!audit(whole, examined, graph, context)) record(whole, std::move(examined), planned, graph, context);
  return why;
}

}  // namespace

std::optional<Uncacheable> serve_split(Conclusion& conclusion, const RequestContext& asked) {
  if (auto why = noted_to_run_alone(asked)) return why;
  auto obtained = obtain_plan(asked);
  if (const auto* why = std::get_if<Uncacheable>(&obtained)) return *why;
  const Planned& planned = std::get<Planned>(obtained);
  const RequestContext context = planned.context(asked);
  hip::Plan& plan = *planned.plan;
  if (auto unusual = unusual_outputs(plan, context.request.from.working_directory)) return unusual;
  prefetch(plan, context);
  std::vector<hip::Step>& steps = choose_steps(plan, context);
  choose_codegen_splits(steps, context);

  const Result<RequestDirectory> directory = make_directory(context);
  if (!directory) return Uncacheable{Reason::no_temporary_directory, directory.error().message};
  const StepContext in_directory{context, *directory};
  StepScheduler scheduler(in_directory);
  StepGraph graph(steps, in_directory);
  const auto fill = [&] { return fill_placeholders(graph, scheduler, plan, in_directory); };
  Status ran = graph.run(scheduler, fill);
  if (ran) ran = fill();
  if (!ran) return Uncacheable{Reason::step_failed, ran.error().message};
  if (auto unusual = unusual_run(graph, in_directory)) {
    if (loses_files(*unusual, graph)) note_runs_alone(context, *unusual);
    return unusual;
  }

  count_steps(graph, context);
  if (graph.failed() != nullptr) return reply_failure(conclusion, graph, plan.driver_stderr, in_directory);
  return reply_and_record(conclusion, planned, graph, in_directory);
}

}  // namespace hipcache::daemon
