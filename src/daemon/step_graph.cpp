#include "daemon/step_graph.h"

#include <algorithm>

#include "daemon/keys.h"
#include "daemon/ties.h"
#include "daemon/trail.h"

namespace hipcache::daemon {
namespace {

using plan::StepKind;

std::string label_of(const plan::Step& step) {
  switch (step.kind) {
    case StepKind::device:
      return "device " + step.arch.name;
    case StepKind::bundle:
      return "bundle";
    case StepKind::host:
      return "host";
  }
  return "unknown";
}

std::vector<std::string> labels_of(const std::vector<GivenInput>& inputs) {
  std::vector<std::string> labels;
  for (const GivenInput& given : inputs) labels.push_back(given.step->label);
  return labels;
}

bool needs_any_of(const plan::Step& step, const std::vector<StepWork*>& others) {
  const auto is_input = [&](const plan::StepOutput& output) {
    return std::find(step.inputs.begin(), step.inputs.end(), output.name) != step.inputs.end();
  };
  return std::any_of(others.begin(), others.end(), [&](const StepWork* other) {
    return std::any_of(other->outputs.begin(), other->outputs.end(), is_input);
  });
}

}  // namespace

StepWork work_for(const plan::Step& step, const std::vector<Digest>& inputs, const Request& request,
                  const std::string& directory) {
  StepWork work;
  work.label = label_of(step);
  work.key = step_key(request, step, inputs);
  work.inputs = inputs;
  for (const plan::StepCommand& command : step.commands)
    work.commands.push_back({command.program, plan::in_directory(command.argv, directory)});
  work.outputs = step.outputs;
  // A device step's depfile is overwritten by the host's; it is only seen if the compile ends before that.
  work.failed_depfile = step.depfile;
  work.hashes_names = step.hashes_names;
  work.may_start_others = step.starts_others;
  work.maps_own_names = maps_own_names(step, request.from.base);
  return work;
}

StepGraph::StepGraph(const plan::Plan& plan, const Request& request, const RequestDirectory& directory,
                     const Services& services, const Explainer* explainer)
    : plan_(plan), request_(request), directory_(directory), services_(services), explainer_(explainer) {}

Status StepGraph::run(StepRunner& runner) {
  for (auto step = plan_.steps.begin(); step != plan_.steps.end() && failed() == nullptr;) {
    std::vector<StepWork*> beside_each_other;
    do {
      beside_each_other.push_back(add(*step++));
    } while (step != plan_.steps.end() && !needs_any_of(*step, beside_each_other));
    if (Status ran = runner.run(beside_each_other); !ran) return ran;
  }
  return done();
}

const StepWork* StepGraph::failed() const {
  const auto step = std::find_if(steps_.begin(), steps_.end(), [](const auto& work) { return !work->succeeded(); });
  return step == steps_.end() ? nullptr : step->get();
}

std::vector<GivenInput> StepGraph::makers_of(const plan::Step& step) const {
  std::vector<GivenInput> makers;
  for (const std::string& input : step.inputs)
    for (const auto& work : steps_)
      for (const plan::StepOutput& output : work->outputs)
        if (output.name == input) makers.push_back({work.get(), work->made(output)});
  return makers;
}

StepWork* StepGraph::add(const plan::Step& step) {
  const std::vector<GivenInput> makers = makers_of(step);
  std::vector<Digest> inputs;
  for (const GivenInput& given : makers) inputs.push_back(given.output == nullptr ? Digest{} : given.output->blob);
  auto work = std::make_unique<StepWork>(work_for(step, inputs, request_, directory_.path()));
  work->prepare = [this, makers, &step, &prepared = *work]() -> Status {
    if (explainer_ != nullptr) explainer_->log_why(trail_step(prepared, &step, request_.from), labels_of(makers));
    for (const GivenInput& given : makers) {
      if (!given.step->hit) continue;  // ran for this request: its files are there
      if (Status written = materialise(*given.step, directory_, services_.store); !written) return written;
    }
    return done();
  };
  steps_.push_back(std::move(work));
  return steps_.back().get();
}

}  // namespace hipcache::daemon
