#include "daemon/explain/request_history.h"

#include "daemon/request/keys.h"

namespace hipcache::daemon {

cache::Asked asked_by(const Request& request) {
  std::vector<std::string> archs;
  for (const compiler::ArchId& arch : request.invocation.archs) archs.push_back(arch.name);
  const bool is_whole = request.invocation.route == compiler::Route::is_opaque;
  return {.compiler = request.compiler,
          .arguments = portable(is_whole ? undivided_arguments(request.invocation) : request.invocation.without_archs,
                                request.from),
          .archs = std::move(archs),
          .working_directory = request.from.working_directory,
          .logical_directory = request.from.logical_directory(),
          .cuid = request.from.cuid,
          .colour = request.colour};
}

cache::HistoryStep history_step(const StepState& work, const hip::Step* planned, const inputs::RunContext& from) {
  cache::HistoryStep step{.label = work.label, .key = work.key};
  if (planned != nullptr) {
    for (const hip::StepCommand& command : planned->commands)
      step.programs.push_back(from.roots.portable_path(command.program));
    for (const std::vector<std::string>& keyed : planned->keyed) step.arguments.push_back(portable_step(keyed, from));
  }
  step.inputs = work.inputs;
  if (work.witnessed.set != nullptr) step.set = work.witnessed.set->id();
  step.refusal = work.refusal;
  step.detail = work.refusal_detail;
  return step;
}

std::vector<cache::HistoryStep> history_steps(const Planned& planned, const StepGraph& graph, const Request& request) {
  std::vector<cache::HistoryStep> steps = {history_step(planned.probe, nullptr, request.from)};
  if (planned.wrapper_probe)
    steps.push_back(history_step(*planned.wrapper_probe, &*planned.plan.question, request.from));
  for (std::size_t index = 0; index < graph.steps().size(); ++index)
    steps.push_back(history_step(*graph.steps()[index], &graph.plan_of(index), request.from));
  return steps;
}

void record_history(const cache::Observed& observed, std::vector<cache::HistoryStep> steps, const Request& request,
                    const Services& services) {
  const cache::HistoryEntry entry{.asked = asked_by(request), .steps = std::move(steps), .observed = observed};
  const Status recorded = services.miss_history.record(output_key(request), entry);
  if (!recorded) services.log.warning("no trail is kept: " + recorded.error().message);
}

}  // namespace hipcache::daemon
