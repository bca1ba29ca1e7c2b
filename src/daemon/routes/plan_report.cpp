#include "daemon/routes/plan_report.h"

#include "daemon/explain/step_preview.h"
#include "daemon/reply/reply.h"
#include "daemon/reply/request_result.h"
#include "daemon/request/keys.h"
#include "daemon/routes/deferred_fatbin.h"
#include "daemon/routes/opaque.h"
#include "daemon/routes/planner.h"

namespace hipcache::daemon {
namespace {

using protocol::PlanReport;
using protocol::PlanStep;

std::vector<PlanStep> steps_of(const hip::Plan& plan, const Request& request, const Services& services,
                               store::Lease& lease) {
  std::vector<PlanStep> steps;
  for (const StepPreview& planned : preview_steps(plan, request, services, lease)) {
    PlanStep& line = steps.emplace_back(PlanStep{.name = planned.work.label, .stored = planned.stored});
    if (!planned.has_key) continue;
    line.key = planned.work.key.value.hex();
    line.inputs = services.actions.known_inputs(planned.work.key);
  }
  return steps;
}

PlanReport report_whole(const Request& request, const Services& services, store::Lease& lease) {
  const StepState work = opaque_step(request);
  PlanStep step{.name = work.label,
                .key = work.key.value.hex(),
                .stored = services.actions.look_up(work.key, work.suffices(), request.from, lease).has_value(),
                .inputs = services.actions.known_inputs(work.key)};
  return {.request_key = step.key, .request_stored = step.stored, .steps = {step}};
}

PlanReport report_on(protocol::Channel& channel, const Request& request, const Services& services,
                     store::Lease& lease) {
  if (request.invocation.route == compiler::Route::is_opaque) return report_whole(request, services, lease);
  auto planned = obtain_plan(channel, request, services, lease, nullptr);
  if (const auto* why = std::get_if<compiler::Uncacheable>(&planned)) {
    const std::optional<Request> whole = opaque_instead(request, *why);
    return whole ? report_whole(*whole, services, lease) : PlanReport{.reason = why->reason};
  }
  hip::Plan& plan = std::get<Planned>(planned).plan;
  put_deferred_fatbin_if_proved(plan, request, services, lease);

  const cache::ActionKey key = request_key(request);
  return {.reason = "",
          .cuid = request.from.cuid,
          .request_key = key.value.hex(),
          .request_stored = services.actions.look_up(key, suffices_for(request), request.from, lease).has_value(),
          .steps = steps_of(plan, request, services, lease)};
}

}  // namespace

void report_plan(protocol::Channel& channel, const Request& request, const Services& services, store::Lease& lease) {
  reply(channel, report_on(channel, request, services, lease), {}, services);
}

}  // namespace hipcache::daemon
