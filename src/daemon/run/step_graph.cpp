#include "daemon/run/step_graph.h"

#include <algorithm>
#include <set>
#include <utility>

namespace hipcache::daemon {

Status StepGraph::run(StepScheduler& scheduler, const Fill& fill) {
  for (std::vector<std::size_t> next = ready(); !next.empty(); next = ready()) {
    const auto waits = std::stable_partition(next.begin(), next.end(),
                                             [this](std::size_t place) { return !reads_placeholder(plan_[place]); });
    if (waits == next.begin()) {
      if (Status filled = fill(); !filled) return filled;
      if (failed() != nullptr) continue;
    } else {
      next.erase(waits, next.end());
    }
    std::vector<StepState*> beside;
    for (const std::size_t place : next) beside.push_back(add(place));
    if (Status ran = scheduler.run(beside); !ran) return ran;
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
  replaced_.push_back(std::exchange(steps_[index], make(step)));
  return scheduler.run({steps_[index].get()});
}

// The places of the steps that are not in the graph yet and read nothing that another such step makes. After a failure
// only those before it count: the driver would have run them before.
std::vector<std::size_t> StepGraph::ready() const {
  const StepState* const failure = failed();
  std::vector<std::size_t> ready;
  std::set<std::string> being_made;
  std::size_t added = 0;
  for (std::size_t place = 0; place < plan_.size(); ++place) {
    if (added < steps_.size() && places_[added] == place) {
      if (steps_[added++].get() == failure) break;
      continue;
    }
    const hip::Step& step = plan_[place];
    const auto waits_for = [&](const std::string& input) { return being_made.contains(input); };
    if (std::none_of(step.inputs.begin(), step.inputs.end(), waits_for)) ready.push_back(place);
    for (const hip::StepOutput& output : step.outputs) being_made.insert(output.name);
  }
  return ready;
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

bool StepGraph::has_other_language() const {
  return std::any_of(plan_.begin(), plan_.end(), [&](const hip::Step& host) {
    const auto is_its_device = [&](const hip::Step& step) {
      return step.kind == hip::StepKind::device && step.unit == host.unit;
    };
    return host.kind == hip::StepKind::host && !host.unit.empty() &&
           std::none_of(plan_.begin(), plan_.end(), is_its_device);
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

StepState* StepGraph::add(std::size_t place) {
  const auto after = std::upper_bound(places_.begin(), places_.end(), place);
  const auto at = steps_.insert(steps_.begin() + (after - places_.begin()), make(plan_[place]));
  places_.insert(after, place);
  return at->get();
}

std::unique_ptr<StepState> StepGraph::make(const hip::Step& step) {
  std::vector<GivenInput> given = makers_of(step);
  std::vector<Digest> inputs;
  for (const GivenInput& one : given) inputs.push_back(one.output == nullptr ? Digest{} : one.output->blob);
  StepSpec spec = spec_of(step, inputs, context_.request, context_.directory.path());
  auto state = std::make_unique<StepState>(std::move(spec));
  state->given = std::move(given);
  for (const hip::StepOutput& output : step.outputs) makers_.insert_or_assign(output.name, state.get());
  return state;
}

}  // namespace hipcache::daemon
