#include "daemon/routes/deferred_fatbin.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

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
Status fill(StepState& step, const hip::StepOutput& file, const StepGraph& graph, const StepContext& context) {
  const std::string& directory = context.directory.path();
  store::Store& store = context.services.store;
  const std::optional<GivenInput> fatbin = graph.maker_of(file.fatbin);
  if (!fatbin || fatbin->output == nullptr) return Error{"no step has made " + file.fatbin};
  const Result<std::string> object = read_output(step, file, directory, store);
  if (!object) return object.error();
  if (hip::needs_no_fatbin(*object)) return done();
  const Result<std::string> bytes = read_output(*fatbin->step, *fatbin->file, directory, store);
  if (!bytes) return bytes.error();
  Result<std::string> filled = hip::splice_fatbin(*object, *bytes);
  if (!filled) return filled.error();
  take_filled(step, file, fatbin->output->blob, std::move(*filled), context.lease);
  return done();
}

// The plan has a deferred fatbin, and this unit's host does not reject one.
bool may_defer(const hip::Plan& plan, const RequestContext& context) {
  return plan.deferred_fatbin && !is_doubted(host_of(plan.deferred_fatbin->steps), context);
}

}  // namespace

std::vector<hip::Step>& choose_steps(hip::Plan& plan, const RequestContext& context) {
  if (!may_defer(plan, context)) return plan.steps;
  const std::vector<bool> proved = prove({&plan.deferred_fatbin->proof}, kDeferredFatbinProofs, context);
  return proved.front() ? plan.deferred_fatbin->steps : plan.steps;
}

void put_deferred_fatbin_if_proved(hip::Plan& plan, const RequestContext& context) {
  if (!may_defer(plan, context)) return;
  if (known_proof(plan.deferred_fatbin->proof, kDeferredFatbinProofs, context).value_or(false))
    plan.steps = plan.deferred_fatbin->steps;
}

Status fill_placeholders(StepGraph& graph, StepScheduler& scheduler, const hip::Plan& plan,
                         const StepContext& context) {
  if (graph.failed() != nullptr) return done();
  for (std::size_t index = 0; index < graph.steps().size(); ++index) {
    StepState& step = *graph.steps()[index];
    for (const hip::StepOutput& file : step.spec().outputs) {
      if (file.fatbin.empty()) continue;
      const Status filled = fill(step, file, graph, context);
      if (filled) continue;
      doubt(*step.spec().planned, filled.error().message, context);
      return graph.run_instead(index, host_of(plan.steps), scheduler);
    }
  }
  return done();
}

}  // namespace hipcache::daemon
