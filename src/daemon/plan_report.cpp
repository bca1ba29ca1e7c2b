#include "daemon/plan_report.h"

#include <map>
#include <optional>

#include "daemon/keys.h"
#include "daemon/planner.h"
#include "daemon/reply.h"
#include "daemon/step_graph.h"

namespace hipcache::daemon {
namespace {

using protocol::PlanReport;
using protocol::PlanStep;

// The digests of the step's inputs, if all of them are known.
std::optional<std::vector<Digest>> inputs_of(const plan::Step& step, const std::map<std::string, Digest>& made) {
  std::vector<Digest> digests;
  for (const std::string& input : step.inputs) {
    const auto digest = made.find(input);
    if (digest == made.end()) return std::nullopt;
    digests.push_back(digest->second);
  }
  return digests;
}

std::vector<PlanStep> steps_of(const plan::Plan& plan, const Request& request, const Services& services,
                               store::Lease& lease) {
  std::vector<PlanStep> steps;
  std::map<std::string, Digest> made;
  for (const plan::Step& step : plan.steps) {
    const std::optional<std::vector<Digest>> inputs = inputs_of(step, made);
    const StepWork work = work_for(step, inputs.value_or(std::vector<Digest>{}), request, kStoredDirectory);
    PlanStep& line = steps.emplace_back(PlanStep{.name = work.label});
    if (!inputs) continue;
    line.key = work.key.value.hex();
    line.inputs = services.actions.known_inputs(work.key);
    const std::optional<action::Hit> hit = services.actions.look_up(work.key, request.from, lease);
    if (!hit || hit->result.outputs.empty()) continue;
    line.stored = true;
    made[step.output] = hit->result.outputs.front().blob;
  }
  return steps;
}

PlanReport report_on(protocol::Channel& channel, const Request& request, const Services& services,
                     store::Lease& lease) {
  const auto planned = obtain_plan(channel, request, services, lease);
  if (const auto* why = std::get_if<command::Uncacheable>(&planned)) return {.reason = why->reason};

  const action::ActionKey key = request_key(request);
  return {.reason = "",
          .cuid = request.from.cuid,
          .request_key = key.value.hex(),
          .request_stored = services.actions.look_up(key, request.from, lease).has_value(),
          .steps = steps_of(std::get<Planned>(planned).plan, request, services, lease)};
}

}  // namespace

void report_plan(protocol::Channel& channel, const Request& request, const Services& services, store::Lease& lease) {
  reply(channel, report_on(channel, request, services, lease), {}, services);
}

}  // namespace hipcache::daemon
