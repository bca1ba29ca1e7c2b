#include "daemon/explain/step_preview.h"

#include <map>
#include <optional>

#include "daemon/request/temporary_paths.h"
#include "daemon/steps/step_graph.h"

namespace hipcache::daemon {
namespace {

struct CollectedOutput {
  std::string label;
  std::optional<Digest> digest;  // nothing if it is not stored
};

// By output name.
using MadeByName = std::map<std::string, CollectedOutput>;

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

// Adds the step's outputs to `made`. Returns whether the step is stored.
bool add_made(StepState& work, bool has_key, const Request& request, const Services& services, store::Lease& lease,
              MadeByName& made) {
  std::optional<cache::Hit> hit;
  if (has_key) hit = services.actions.look_up(work.key, work.suffices(), request.from, lease);
  if (hit) work.result = std::move(hit->result);
  for (const hip::StepOutput& output : work.outputs) {
    const cache::Output* stored = work.made(output);
    made[output.name] = {work.label, stored == nullptr ? std::nullopt : std::optional(stored->blob)};
  }
  return hit.has_value();
}

}  // namespace

std::vector<StepPreview> preview_steps(const hip::Plan& plan, const Request& request, const Services& services,
                                       store::Lease& lease) {
  std::vector<StepPreview> steps;
  MadeByName made;
  for (const hip::Step& step : plan.steps) {
    const std::optional<std::vector<Digest>> inputs = inputs_of(step, made);
    StepPreview& looked_up = steps.emplace_back();
    looked_up.planned = &step;
    looked_up.work = work_for(step, inputs.value_or(std::vector<Digest>{}), request, kStoredDirectory);
    looked_up.makers = makers_of(step, made);
    looked_up.has_key = inputs.has_value();
    looked_up.stored = add_made(looked_up.work, looked_up.has_key, request, services, lease, made);
  }
  return steps;
}

}  // namespace hipcache::daemon
