#include "daemon/steps/step_state.h"

#include "daemon/request/keys.h"
#include "hipcache/base/files.h"
#include "hipcache/compiler/reason.h"

namespace hipcache::daemon {

StepState::StepState(StepSpec specification) : spec_(std::move(specification)) {
  if (!spec_.unproven.empty()) result.refuse({compiler::reason::kLinkerOption, spec_.unproven});
}

void StepState::take(cache::Hit found) {
  ended = true;
  hit = true;
  result.witnessed = found.witnessed();
  result.take(std::move(found.result));
}

const cache::Output* StepState::given_to_user(const hip::StepOutput& output) const {
  return !output.fatbin.empty() && result.filled ? &result.filled->output : made(output);
}

std::string StepState::failure() const {
  return result.doubt.empty() ? spec_.label : spec_.label + ": " + result.doubt;
}

cache::HistoryStep history_step(const StepState& state, const inputs::RunContext& from) {
  const StepSpec& spec = state.spec();
  cache::HistoryStep step{.label = spec.label, .key = spec.history_key()};
  if (spec.planned != nullptr) {
    for (const hip::StepCommand& command : spec.planned->commands)
      step.programs.push_back(from.roots.portable_path(command.program));
    for (const std::vector<std::string>& keyed : spec.planned->keyed)
      step.arguments.push_back(portable_step(keyed, from));
  }
  step.inputs = spec.inputs;
  if (state.result.bitcode) step.inputs.push_back(*state.result.bitcode);
  if (state.recordable()) step.set = state.result.witnessed.set->id();
  step.refusal = state.result.refusal;
  step.detail = state.result.refusal_detail;
  return step;
}

Result<std::string> read_output(const StepState& state, const hip::StepOutput& file, const std::string& directory,
                                store::Store& store) {
  if (!state.hit) return read_file(directory + "/" + file.name, kOutputLimit);
  const cache::Output* output = state.made(file);
  if (output == nullptr) return Error{"the stored " + state.spec().label + " has no " + file.role};
  Result<std::optional<std::string>> bytes = store.blob(output->blob);
  if (!bytes) return bytes.error();
  if (!*bytes) return Error{"the stored " + state.spec().label + " has lost its " + file.role};
  return std::move(**bytes);
}

Status materialise(const StepState& state, const hip::StepOutput& file, const StepContext& context) {
  const Result<std::string> bytes = read_output(state, file, context.directory.path(), context.services.store);
  if (!bytes) return bytes.error();
  return replace_file(context.directory.file(file.name), *bytes);
}

}  // namespace hipcache::daemon
