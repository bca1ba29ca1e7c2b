#include "daemon/steps/step_graph.h"

#include <algorithm>

#include "daemon/explain/request_history.h"
#include "daemon/request/keys.h"
#include "daemon/request/step_kinds.h"
#include "daemon/steps/relocatability.h"
#include "hipcache/base/files.h"
#include "hipcache/compiler/reason.h"

namespace hipcache::daemon {
namespace {

std::string in_directory(const std::string& text, const std::string& directory) {
  return hip::in_directory({text}, directory).front();
}

std::vector<std::string> labels_of(const std::vector<GivenInput>& inputs) {
  std::vector<std::string> labels;
  for (const GivenInput& given : inputs) labels.push_back(given.step->label);
  return labels;
}

}  // namespace

StepState work_for(const hip::Step& step, const std::vector<Digest>& inputs, const Request& request,
                   const std::string& directory) {
  StepState work;
  work.label = label_of(step);
  work.key = step_key(request, step, inputs);
  work.inputs = inputs;
  for (const hip::StepCommand& command : step.commands)
    work.commands.push_back({command.program, hip::in_directory(command.argv, directory)});
  work.outputs = step.outputs;
  // The host overwrites a device step's depfile, so it is visible only if the compile ends before that.
  work.failed_depfile = step.depfile;
  work.hashes_names = step.hashes_names;
  work.is_proof = step.is_proof;
  work.is_tentative = traits_of(step.kind).is_tentative;
  work.may_start_others = step.starts_others;
  for (const std::vector<std::string>& argv : step.keyed) {
    work.maps.add(argv, request.from.roots);
    work.named_roots |= named_roots(argv, request.from.roots);
  }
  work.prints_temporary_paths = step.prints_temporary_paths;
  work.split_codegen = step.split_codegen ? &*step.split_codegen : nullptr;
  if (!step.unproven.empty()) {
    work.refusal = compiler::reason::kLinkerOption;
    work.refusal_detail = step.unproven;
  }
  return work;
}

StepGraph::StepGraph(const std::vector<hip::Step>& steps, const Request& request, const RequestDirectory& directory,
                     const Services& services, const Explainer* explainer)
    : plan_(steps), request_(request), directory_(directory), services_(services), explainer_(explainer) {}

Status StepGraph::run(StepScheduler& runner) {
  while (steps_.size() < plan_.size() && failed() == nullptr)
    if (Status ran = runner.run(add_next()); !ran) return ran;
  return done();
}

Status StepGraph::run_instead(std::size_t index, const hip::Step& step, StepScheduler& runner) {
  replaced_.push_back(std::move(steps_[index]));
  steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(index));
  planned_.erase(planned_.begin() + static_cast<std::ptrdiff_t>(index));
  return runner.run({add(step)});
}

// Adds the next steps in order, up to the first one that reads an output of another one added here.
std::vector<StepState*> StepGraph::add_next() {
  std::vector<StepState*> beside;
  std::set<std::string> being_made;
  while (steps_.size() < plan_.size()) {
    const hip::Step& step = plan_[steps_.size()];
    const auto waits_for = [&](const std::string& input) { return being_made.contains(input); };
    if (std::any_of(step.inputs.begin(), step.inputs.end(), waits_for)) break;
    for (const hip::StepOutput& output : step.outputs) being_made.insert(output.name);
    beside.push_back(add(step));
  }
  return beside;
}

const StepState* StepGraph::failed() const {
  const auto step = std::find_if(steps_.begin(), steps_.end(), [](const auto& work) { return !work->succeeded(); });
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
  for (const hip::StepOutput& output : maker->second->outputs)
    if (output.name == name) return GivenInput{maker->second, &output, maker->second->made(output)};
  return std::nullopt;
}

std::vector<GivenInput> StepGraph::makers_of(const hip::Step& step) const {
  std::vector<GivenInput> makers;
  for (const std::string& input : step.inputs)
    if (const std::optional<GivenInput> maker = maker_of(input)) makers.push_back(*maker);
  return makers;
}

StepState* StepGraph::add(const hip::Step& step) {
  const std::vector<GivenInput> makers = makers_of(step);
  std::vector<Digest> inputs;
  for (const GivenInput& given : makers) inputs.push_back(given.output == nullptr ? Digest{} : given.output->blob);
  auto work = std::make_unique<StepState>(work_for(step, inputs, request_, directory_.path()));
  work->prepare = [this, makers, &step, &prepared = *work]() -> Status {
    if (explainer_ != nullptr) explainer_->log_why(history_step(prepared, &step, request_.from), labels_of(makers));
    return bring(step, makers);
  };
  steps_.push_back(std::move(work));
  planned_.push_back(&step);
  for (const hip::StepOutput& output : step.outputs) makers_.insert_or_assign(output.name, steps_.back().get());
  return steps_.back().get();
}

Status StepGraph::bring(const hip::Step& step, const std::vector<GivenInput>& inputs) {
  for (const GivenInput& given : inputs) {
    if (!given.step->hit) continue;  // ran for this request, so its files are there
    if (!brought_.insert(given.file->name).second) continue;
    if (Status written = materialise(*given.step, *given.file, directory_, services_.store); !written) return written;
  }
  for (const hip::StepFile& file : step.files) {
    if (Status written = write_step_file(file, directory_); !written) return written;
  }
  return done();
}

Status write_step_file(const hip::StepFile& file, const RequestDirectory& directory) {
  return replace_file(directory.file(file.name),
                      file.verbatim ? file.bytes : in_directory(file.bytes, directory.path()));
}

}  // namespace hipcache::daemon
