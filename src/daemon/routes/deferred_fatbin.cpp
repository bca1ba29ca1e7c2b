#include "daemon/routes/deferred_fatbin.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "daemon/request/keys.h"
#include "daemon/routes/proofs.h"
#include "daemon/steps/doubts.h"
#include "daemon/steps/output_recorder.h"
#include "hipcache/compiler/hip/fatbin_splice.h"

namespace hipcache::daemon {
namespace {

const hip::Step& host_of(const std::vector<hip::Step>& steps) {
  return *std::find_if(steps.begin(), steps.end(),
                       [](const hip::Step& step) { return step.kind == hip::StepKind::host; });
}

// Puts the fatbin into the step's output, unless the output needs none.
Status fill(StepState& step, const hip::StepOutput& file, const StepGraph& graph, const RequestDirectory& directory,
            const Services& services, store::Lease& lease) {
  const std::optional<GivenInput> fatbin = graph.maker_of(file.fatbin);
  if (!fatbin || fatbin->output == nullptr) return Error{"no step has made " + file.fatbin};
  const Result<std::string> object = read_output(step, file, directory.path(), services.store);
  if (!object) return object.error();
  if (hip::needs_no_fatbin(*object)) return done();
  const Result<std::string> bytes = read_output(*fatbin->step, *fatbin->file, directory.path(), services.store);
  if (!bytes) return bytes.error();
  Result<std::string> filled = hip::splice_fatbin(*object, *bytes);
  if (!filled) return filled.error();
  take_filled(step, file, fatbin->output->blob, std::move(*filled), lease);
  return done();
}

}  // namespace

std::vector<hip::Step>& choose_steps(hip::Plan& plan, protocol::Channel& channel, const Request& request,
                                     const Services& services, store::Lease& lease) {
  if (!plan.deferred_fatbin || is_doubted(host_of(plan.deferred_fatbin->steps), request, services)) return plan.steps;
  const std::vector<bool> proved =
      prove({&plan.deferred_fatbin->proof}, kDeferredFatbinProofs, channel, request, services, lease);
  return proved.front() ? plan.deferred_fatbin->steps : plan.steps;
}

void put_deferred_fatbin_if_proved(hip::Plan& plan, const Request& request, const Services& services,
                                   store::Lease& lease) {
  if (!plan.deferred_fatbin || is_doubted(host_of(plan.deferred_fatbin->steps), request, services)) return;
  if (known_proof(plan.deferred_fatbin->proof, kDeferredFatbinProofs, request, services, lease).value_or(false))
    plan.steps = plan.deferred_fatbin->steps;
}

Status fill_placeholders(StepGraph& graph, StepScheduler& runner, const hip::Plan& plan, const Request& request,
                         const RequestDirectory& directory, const Services& services, store::Lease& lease) {
  if (graph.failed() != nullptr) return done();
  for (std::size_t index = 0; index < graph.steps().size(); ++index) {
    StepState& step = *graph.steps()[index];
    for (const hip::StepOutput& file : step.outputs) {
      if (file.fatbin.empty()) continue;
      const Status filled = fill(step, file, graph, directory, services, lease);
      if (filled) continue;
      doubt(graph.plan_of(index), filled.error().message, request, services);
      return graph.run_instead(index, host_of(plan.steps), runner);
    }
  }
  return done();
}

}  // namespace hipcache::daemon
