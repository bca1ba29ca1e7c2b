#include "daemon/planner.h"

#include "daemon/keys.h"
#include "daemon/reason.h"

namespace hipcache::daemon {

using command::Uncacheable;

StepWork probe_work(const Request& request) {
  const std::vector<std::string> arguments = plan::probe_arguments(request.invocation, request.cuid, request.colour);
  StepWork work;
  work.label = "probe";
  work.key = probe_key(request, arguments);
  work.commands = {{request.compiler, arguments}};
  work.prints_plan = true;
  return work;
}

std::variant<plan::Plan, Uncacheable> obtain_plan(StepWork& probe, StepRunner& runner, const Request& request,
                                                  const Services& services) {
  if (Status ran = runner.run({&probe}); !ran) return Uncacheable{reason::kProbeFailed, ran.error().message};
  services.counters.probe(probe.hit);
  if (!probe.succeeded()) return Uncacheable{reason::kProbeFailed, "exit code " + std::to_string(probe.exit_code)};
  // A compiler that cannot be watched proves nothing, whatever it plans.
  if (!probe.recordable() && (probe.refusal == reason::kUntraceable || probe.refusal == reason::kWrapper))
    return Uncacheable{probe.refusal, request.compiler};
  Result<plan::Plan> plan = plan::read_plan(probe.result.stderr_text, request.invocation, kStoredDirectory);
  if (!plan) return Uncacheable{reason::kPlanNotUnderstood, plan.error().message};
  return std::move(*plan);
}

}  // namespace hipcache::daemon
