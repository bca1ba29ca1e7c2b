#include "daemon/routes/plan_report.h"

#include "daemon/explain/step_preview.h"
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

using protocol::PlanReport;
using protocol::PlanStep;

std::vector<PlanStep> steps_of(const hip::Plan& plan, const RequestContext& context) {
  std::vector<PlanStep> steps;
  for (const StepPreview& preview : preview_steps(plan, context)) {
    const StepSpec& spec = preview.state.spec();
    PlanStep& line = steps.emplace_back(PlanStep{.name = spec.label, .stored = preview.stored});
    if (!preview.has_key) continue;
    line.key = spec.key.value.hex();
    line.inputs = context.services.actions.known_inputs(spec.key);
  }
  return steps;
}

PlanReport report_of(const compiler::Uncacheable& why) {
  return {.reason = why.reason, .detail = readable(why.detail)};
}

PlanReport report_opaque(const RequestContext& context) {
  const StepSpec spec = opaque_spec(context);
  PlanStep step{.name = spec.label,
                .key = spec.key.value.hex(),
                .stored = context.look_up(spec.key, spec.suffices()).has_value(),
                .inputs = context.services.actions.known_inputs(spec.key)};
  PlanReport report;
  if (const auto& why = context.request.invocation.not_split) report = report_of(*why);
  report.request_key = step.key;
  report.request_stored = step.stored;
  report.steps = {std::move(step)};
  return report;
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
  return {.cuid = has_id(plan) ? context.request.from.cuid : "",
          .request_key = context.key.value.hex(),
          .request_stored = context.look_up(context.key, suffices_for(context.request)).has_value(),
          .steps = steps_of(plan, context)};
}

}  // namespace

void report_not_cached(const compiler::Uncacheable& why, protocol::Channel& channel, const Services& services) {
  reply(channel, report_of(why), {}, services);
}

void report_plan(const RequestContext& context) {
  const PlanReport report = report_on(context);
  if (report.reason == kStartsCompiler) {
    reply_wrapper(context.channel, context.request.compiler, context.services);
    return;
  }
  reply(context.channel, report, {}, context.services);
}

}  // namespace hipcache::daemon
