#include "daemon/routes/compile_service.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <variant>

#include "daemon/explain/explainer.h"
#include "daemon/explain/request_history.h"
#include "daemon/reply/conclusion.h"
#include "daemon/reply/reply.h"
#include "daemon/reply/reply_builder.h"
#include "daemon/reply/request_result.h"
#include "daemon/reply/run_checks.h"
#include "daemon/request/keys.h"
#include "daemon/request/output_checks.h"
#include "daemon/request/reason.h"
#include "daemon/request/request.h"
#include "daemon/request/step_kinds.h"
#include "daemon/routes/deferred_fatbin.h"
#include "daemon/routes/explain_report.h"
#include "daemon/routes/opaque.h"
#include "daemon/routes/plan_report.h"
#include "daemon/routes/planner.h"
#include "daemon/routes/split_codegen_choice.h"
#include "daemon/steps/step_graph.h"
#include "daemon/steps/step_scheduler.h"

namespace hipcache::daemon {
namespace {

using compiler::Uncacheable;

// Answers from the request's own stored result, without looking at its steps. False if there is none.
bool serve_whole(Conclusion& conclusion, const Request& request, const Services& services, store::Lease& lease) {
  if (request.settings.recache) return false;
  const std::optional<cache::Hit> hit =
      services.actions.look_up(request_key(request), suffices_for(request), request.from, lease);
  if (!hit) return false;
  if (const std::optional<Uncacheable> unusual = unusual_outputs(hit->result, request)) {
    conclusion.pass_through(*unusual);
    return true;
  }
  const Status answered = answer_hit(conclusion, request, hit->result, services);
  if (!answered) services.log.warning("a stored request is of no use: " + answered.error().message);
  return answered.ok();
}

void count_steps(const StepGraph& graph, stats::Counters& counters) {
  for (std::size_t index = 0; index < graph.steps().size(); ++index) {
    const StepState& step = *graph.steps()[index];
    if (!step.ended) continue;
    for (const std::string& name : counted_names(graph.plan_of(index))) count_step(name, step.hit, counters);
    if (step.hit) counters.saved(step.result.duration_us);
  }
  // Only a host step with a deferred fatbin is ever replaced. If it was a hit, it saved nothing, so it is not counted.
  for (const auto& step : graph.replaced())
    if (!step->hit) counters.host(false);
}

// Counts and logs back ends that the linker wrapper ran again. It started another command than it had announced, or on
// other bytes.
void note_not_answered(const StepGraph& graph, const Request& request, const Services& services) {
  const std::size_t prepared =
      static_cast<std::size_t>(std::count_if(graph.steps().begin(), graph.steps().end(), [](const auto& step) {
        return step->is_tentative && !step->result.outputs.empty();
      }));
  for (std::size_t index = 0; index < graph.steps().size(); ++index) {
    const StepState& step = *graph.steps()[index];
    const std::vector<hip::StepFile>& files = graph.plan_of(index).files;
    const bool has_answers =
        std::any_of(files.begin(), files.end(), [](const auto& file) { return file.name == hip::kAnswers; });
    if (!has_answers || !step.ended || step.hit || step.answered >= prepared) continue;
    const std::string what = request.invocation.object + ": " + step.label;
    services.counters.bundled(reason::kNotAsAnnounced, what);
    services.log.info(what + " ran " + std::to_string(prepared - step.answered) +
                      " back ends again: the linker wrapper did something else than it had said");
  }
}

stats::Outcome outcome_of(const StepGraph& graph) {
  std::size_t hits = 0;
  for (const auto& step : graph.steps()) hits += step->hit ? 1 : 0;
  if (hits == graph.steps().size()) return stats::Outcome::hit;
  return hits > 0 ? stats::Outcome::partial : stats::Outcome::miss;
}

// Records the result for the next equal request, and the miss history for explaining a later miss.
void record(const cache::ActionResult& whole, cache::Examined examined, const Planned& planned, const StepGraph& graph,
            const Request& request, const Services& services) {
  if (const auto observed = record_request(whole, std::move(examined), graph, request, services))
    record_history(*observed, history_steps(planned, graph, request), request, services);
}

// The daemon decides first what may be recorded, because the user may change any file once the compile has ended. Then
// it sends the answer, and the user does not wait for the write.
std::optional<Uncacheable> answer_and_record(Conclusion& conclusion, const Request& request, const Planned& planned,
                                             const StepGraph& graph, const RequestDirectory& directory,
                                             const Services& services) {
  const cache::ActionResult whole = request_result(graph, planned.plan.driver_stderr, request.from.roots);
  const stats::Outcome outcome = outcome_of(graph);
  if (request.settings.readonly) return answer_success(conclusion, request, graph, directory, whole, outcome, services);
  cache::Examined examined = examine_request(planned.probes(), graph, request, services);
  const PendingWrites::Mark pending_writes =
      services.pending_writes.mark({request_key(request).value, output_key(request)});
  std::optional<Uncacheable> why = answer_success(conclusion, request, graph, directory, whole, outcome, services);
  record(whole, std::move(examined), planned, graph, request, services);
  return why;
}

// Returns nothing if the client was answered, else the reason why the compiler has to run alone.
std::optional<Uncacheable> serve_by_steps(protocol::Channel& channel, Conclusion& conclusion, const Request& request,
                                          const Services& services, store::Lease& lease) {
  const std::optional<Explainer> explainer = explainer_for_log(request, services);
  auto obtained = obtain_plan(channel, request, services, lease, explainer ? &*explainer : nullptr);
  if (const auto* why = std::get_if<Uncacheable>(&obtained)) return *why;
  Planned& planned = std::get<Planned>(obtained);
  hip::Plan& plan = planned.plan;
  if (auto unusual = unusual_outputs(plan, request.from.working_directory)) return unusual;
  std::vector<hip::Step>& steps = choose_steps(plan, channel, request, services, lease);
  drop_unproved_splits(steps, channel, request, services, lease);

  const Result<RequestDirectory> directory =
      RequestDirectory::make(services.temporary_root, users_temporary_directory(request));
  if (!directory) return Uncacheable{reason::kNoTemporaryDirectory, directory.error().message};
  StepScheduler runner(channel, request, services, *directory, lease);
  StepGraph graph(steps, request, *directory, services, explainer ? &*explainer : nullptr);
  if (Status ran = graph.run(runner); !ran) return Uncacheable{reason::kStepFailed, ran.error().message};
  if (Status filled = fill_placeholders(graph, runner, plan, request, *directory, services, lease); !filled)
    return Uncacheable{reason::kStepFailed, filled.error().message};
  if (auto unusual = unusual_run(graph, request, *directory, services)) return unusual;

  count_steps(graph, services.counters);
  note_not_answered(graph, request, services);
  if (graph.failed() != nullptr)
    return answer_failure(conclusion, request, graph, plan.driver_stderr, *directory, services);
  return answer_and_record(conclusion, request, planned, graph, *directory, services);
}

std::optional<Uncacheable> serve(protocol::Channel& channel, Conclusion& conclusion, const Request& request,
                                 std::uint64_t missed, const Services& services, store::Lease& lease) {
  if (request.invocation.route == compiler::Route::is_opaque)
    return serve_opaque(channel, conclusion, request, missed, services, lease);
  std::optional<Uncacheable> why = serve_by_steps(channel, conclusion, request, services, lease);
  const std::optional<Request> whole = why ? opaque_instead(request, *why) : std::nullopt;
  if (!whole) return why;
  services.log.info("served whole: " + why->reason + " " + why->detail);
  return serve_opaque(channel, conclusion, *whole, std::nullopt, services, lease);
}

// --plan and --explain: these do not compile and are not counted.
void serve_question(protocol::Channel& channel, const protocol::CompileRequest& message,
                    const std::variant<Request, Uncacheable>& understood, const Services& services) {
  if (const auto* why = std::get_if<Uncacheable>(&understood)) {
    if (message.plan_only)
      reply(channel, protocol::PlanReport{.reason = why->reason}, {}, services);
    else
      reply(channel, explain_passed_through(*why), {}, services);
    return;
  }
  const Request& request = std::get<Request>(understood);
  const std::unique_ptr<store::Lease> lease = services.store.lease();
  services.pending_writes.wait_for(request_key(request).value);
  if (message.plan_only) return report_plan(channel, request, services, *lease);
  services.pending_writes.wait_for(output_key(request));
  report_explanation(channel, request, services, *lease);
}

}  // namespace

void serve_compile(protocol::Channel& channel, const protocol::CompileRequest& message, const Services& services) {
  const auto understood = understand(message, services);
  if (message.plan_only || message.explain) return serve_question(channel, message, understood, services);
  Conclusion conclusion(channel, services);
  if (const auto* why = std::get_if<Uncacheable>(&understood)) return conclusion.pass_through(*why);
  const Request& request = std::get<Request>(understood);
  const std::unique_ptr<store::Lease> lease = services.store.lease();
  services.pending_writes.wait_for(request_key(request).value);
  const std::uint64_t ended = services.single_flight.ended(request_key(request).value);
  if (serve_whole(conclusion, request, services, *lease)) return;
  if (const std::optional<Uncacheable> why = serve(channel, conclusion, request, ended, services, *lease))
    conclusion.pass_through(*why);
}

}  // namespace hipcache::daemon
