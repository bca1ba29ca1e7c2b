#include "daemon/explain/step_preview.h"

#include <map>
#include <optional>
#include <utility>

#include "daemon/request/temporary_paths.h"

namespace hipcache::daemon {
namespace {

struct PreviewedOutput {
  std::string label;
  std::optional<Digest> digest;  // nothing if it is not stored
};

// By output name.
using MadeByName = std::map<std::string, PreviewedOutput>;

// The digests of the step's inputs, if all of them are known.
std::optional<std::vector<Digest>> inputs_of(const hip::Step& step, const MadeByName& made) {
  std::vector<Digest> digests;
  for (const std::string& input : step.inputs) {
    const auto maker = made.find(input);
    if (maker == made.end() || !maker->second.digest) return std::nullopt;
    digests.push_back(*maker->second.digest);
  }
  return digests;
}

std::vector<std::string> makers_of(const hip::Step& step, const MadeByName& made) {
  std::vector<std::string> labels;
  for (const std::string& input : step.inputs)
    if (const auto maker = made.find(input); maker != made.end()) labels.push_back(maker->second.label);
  return labels;
}

// Looks the step up if it has a key, and adds its outputs to `made`.
void look_up(StepPreview& preview, const RequestContext& context, MadeByName& made) {
  StepState& state = preview.state;
  const StepSpec& spec = state.spec();
  std::optional<cache::Hit> hit;
  if (preview.has_key) hit = context.look_up(spec.key, spec.suffices());
  preview.stored = hit.has_value();
  if (hit) state.take(std::move(*hit));
  for (const hip::StepOutput& output : spec.outputs) {
    const cache::Output* stored = state.made(output);
    made[output.name] = {spec.label, stored == nullptr ? std::nullopt : std::optional(stored->blob)};
  }
}

}  // namespace

std::vector<StepPreview> preview_steps(const hip::Plan& plan, const RequestContext& context) {
  std::vector<StepPreview> steps;
  MadeByName made;
  for (const hip::Step& step : plan.steps) {
    const std::optional<std::vector<Digest>> inputs = inputs_of(step, made);
    StepSpec spec = spec_of(step, inputs.value_or(std::vector<Digest>{}), context.request, kStoredDirectory);
    steps.push_back(
        {.state = StepState(std::move(spec)), .makers = makers_of(step, made), .has_key = inputs.has_value()});
    look_up(steps.back(), context, made);
  }
  return steps;
}

}  // namespace hipcache::daemon
