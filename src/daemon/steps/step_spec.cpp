#include "daemon/steps/step_spec.h"

#include <algorithm>

#include "daemon/record/relocatability.h"
#include "daemon/request/keys.h"
#include "daemon/request/step_kinds.h"
#include "daemon/request/temporary_paths.h"

namespace hipcache::daemon {

StepSpec spec_of(const hip::Step& step, const std::vector<Digest>& inputs, const Request& request,
                 const std::string& directory) {
  StepSpec spec;
  spec.label = label_of(step);
  if (!step.is_proof) spec.names = counted_names(step);
  if (step.is_front_end) spec.names.push_back(step.arch.name);
  spec.key = step_key(request, step, inputs);
  spec.inputs = inputs;
  for (const hip::StepCommand& command : step.commands)
    spec.commands.push_back({command.program, hip::in_directory(command.argv, directory)});
  spec.outputs = step.outputs;
  spec.planned = &step;
  // The host overwrites a device step's depfile, so it is visible only if the compile ends before that.
  spec.failed_depfile = step.depfile;
  spec.unproven = step.unproven;
  spec.hashes_names = step.hashes_names;
  spec.is_proof = step.is_proof;
  spec.reads_source = !step.is_proof && (step.kind == hip::StepKind::device || step.kind == hip::StepKind::host);
  spec.is_tentative = traits_of(step.kind).is_tentative;
  spec.may_start_others = step.starts_others;
  for (const std::vector<std::string>& argv : step.keyed) {
    spec.maps.add(argv, request.from.roots);
    spec.named_roots |= named_roots(argv, request.from.roots);
  }
  spec.prints_temporary_paths = step.prints_temporary_paths;
  spec.split_codegen = step.split_codegen ? &*step.split_codegen : nullptr;
  return spec;
}

std::vector<std::string> arguments_of(const StepSpec& spec) {
  std::vector<std::string> arguments;
  for (const protocol::Command& command : spec.commands)
    arguments.insert(arguments.end(), command.argv.begin(), command.argv.end());
  return arguments;
}

void add_files_of(const StepSpec& spec, const RequestDirectory& directory, std::set<std::string>& names) {
  for (const protocol::Command& command : spec.commands) directory.add_names_in(command.argv, names);
  for (const hip::StepOutput& output : spec.outputs) names.insert(output.name);
  if (spec.split_codegen != nullptr) names.insert(spec.split_codegen->bitcode);
  if (spec.planned == nullptr) return;
  for (const hip::StepFile& file : spec.planned->files) names.insert(file.name);
}

StepSpec spec_to_look_up(const hip::Step& step, const Request& request) {
  return spec_of(step, {}, request, kStoredDirectory);
}

const cache::Output* output_in(const cache::ActionResult& result, const std::string& role) {
  const cache::Output* found = result.output(role);
  return found == nullptr && role == hip::kDepfile ? result.output(hip::kPortableDepfile) : found;
}

cache::Suffices StepSpec::suffices() const {
  return [this](const cache::ActionResult& stored) {
    return std::all_of(outputs.begin(), outputs.end(),
                       [&](const hip::StepOutput& output) { return output_in(stored, output.role) != nullptr; });
  };
}

}  // namespace hipcache::daemon
