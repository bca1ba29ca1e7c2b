#include "daemon/run/step_graph.h"

#include <algorithm>
#include <set>

namespace hipcache::daemon {

Status StepGraph::run(StepScheduler& scheduler, const Fill& fill) {
  while (steps_.size() < plan_.size() && failed() == nullptr) {
    if (reads_placeholder(plan_[steps_.size()]))
      if (Status filled = fill(); !filled) return filled;
    if (Status ran = scheduler.run(add_next()); !ran) return ran;
  }
  return done();
}

bool StepGraph::reads_placeholder(const hip::Step& step) const {
  return std::any_of(step.inputs.begin(), step.inputs.end(), [this](const std::string& input) {
    const std::optional<GivenInput> maker = maker_of(input);
    return maker && !maker->file->fatbin.empty();
  });
}

Status StepGraph::run_instead(std::size_t index, const hip::Step& step, StepScheduler& scheduler) {
  replaced_.push_back(std::move(steps_[index]));
  steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(index));
  return scheduler.run({add(step)});
}

// Adds the next steps in order, up to the first one that reads an output of another one added here, or a placeholder.
std::vector<StepState*> StepGraph::add_next() {
  std::vector<StepState*> beside;
  std::set<std::string> being_made;
  while (steps_.size() < plan_.size()) {
    const hip::Step& step = plan_[steps_.size()];
    const auto waits_for = [&](const std::string& input) { return being_made.contains(input); };
    if (std::any_of(step.inputs.begin(), step.inputs.end(), waits_for)) break;
    if (!beside.empty() && reads_placeholder(step)) break;
    for (const hip::StepOutput& output : step.outputs) being_made.insert(output.name);
    beside.push_back(add(step));
  }
  return beside;
}

const StepState* StepGraph::failed() const {
  const auto step = std::find_if(steps_.begin(), steps_.end(), [](const auto& one) { return !one->succeeded(); });
  return step == steps_.end() ? nullptr : step->get();
}

bool StepGraph::writes_beside() const {
  const auto is_beside = [](const hip::StepOutput& output) {
    return !output.place.empty() && output.beside && output.role != hip::kDepfile;
  };
  return std::any_of(plan_.begin(), plan_.end(), [&](const hip::Step& step) {
    return std::any_of(step.outputs.begin(), step.outputs.end(), is_beside);
  });
}

std::optional<GivenInput> StepGraph::maker_of(const std::string& name) const {
  const auto maker = makers_.find(name);
  if (maker == makers_.end()) return std::nullopt;
  for (const hip::StepOutput& output : maker->second->spec().outputs)
    if (output.name == name) return GivenInput{maker->second, &output, maker->second->given_to_user(output)};
  return std::nullopt;
}

std::vector<GivenInput> StepGraph::makers_of(const hip::Step& step) const {
  std::vector<GivenInput> makers;
  for (const std::string& input : step.inputs)
    if (const std::optional<GivenInput> maker = maker_of(input)) makers.push_back(*maker);
  return makers;
}

StepState* StepGraph::add(const hip::Step& step) {
  std::vector<GivenInput> given = makers_of(step);
  std::vector<Digest> inputs;
  for (const GivenInput& one : given) inputs.push_back(one.output == nullptr ? Digest{} : one.output->blob);
  StepSpec spec = spec_of(step, inputs, context_.request, context_.directory.path());
  StepState* state = steps_.emplace_back(std::make_unique<StepState>(std::move(spec))).get();
  state->given = std::move(given);
  for (const hip::StepOutput& output : step.outputs) makers_.insert_or_assign(output.name, state);
  return state;
}

}  // namespace hipcache::daemon
