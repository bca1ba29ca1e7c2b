#include "daemon/steps/ended_step.h"

#include <string>

#include "daemon/request/step_kinds.h"

namespace hipcache::daemon {
namespace {

// A step that is in no plan is the probe, or the run of an opaque compile, which is labelled by its kind.
std::string kind_of(const StepSpec& spec) {
  if (spec.is_proof) return "proof";
  if (spec.prints_plan) return "probe";
  if (spec.planned == nullptr) return spec.label;
  return spec.planned->is_front_end ? cache::kFrontEndStep : traits_of(spec.planned->kind).domain;
}

std::string arch_of(const StepSpec& spec) {
  return spec.planned == nullptr || spec.is_proof ? "" : spec.planned->arch.name;
}

const char* outcome_of(const StepState& state, bool is_usable) {
  if (state.hit) return "hit";
  return is_usable && state.succeeded() ? "run" : "failed";
}

std::string refusal_of(const StepResult& result) {
  return result.refusal_detail.empty() ? result.refusal : result.refusal + ": " + result.refusal_detail;
}

}  // namespace

EndedStep ended_step(const StepState& state, const StepClock& clock, bool is_usable) {
  const StepSpec& spec = state.spec();
  EndedStep ended{.key = spec.history_key(),
                  .event = {.start_us = clock.start_us(),
                            .duration_us = clock.elapsed_us(),
                            .outcome = outcome_of(state, is_usable),
                            .kind = kind_of(spec),
                            .label = spec.is_proof ? "proof of " + spec.label : spec.label,
                            .arch = arch_of(spec),
                            .saved_us = state.hit ? state.result.duration_us : 0,
                            .processor_saved_us = state.hit ? state.result.processor_time() : 0,
                            .has_waited = state.waited,
                            .not_stored = state.hit ? "" : refusal_of(state.result)}};
  ended.bitcode = state.hit ? std::nullopt : state.result.bitcode;
  for (const cache::Output& output : state.result.outputs) ended.event.bytes += output.size;
  return ended;
}

}  // namespace hipcache::daemon
