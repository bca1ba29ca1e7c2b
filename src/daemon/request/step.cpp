#include "daemon/request/step.h"

#include <algorithm>

#include "daemon/request/keys.h"
#include "daemon/request/portable_arguments.h"
#include "daemon/request/step_kinds.h"
#include "hipcache/base/files.h"
#include "hipcache/base/step_name.h"
#include "hipcache/base/text.h"

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
    spec.named_roots |= request.from.roots.shown_in_any(argv);
  }
  spec.prints_temporary_paths = step.prints_temporary_paths;
  spec.split_codegen = step.split_codegen ? &*step.split_codegen : nullptr;
  return spec;
}

const std::string& source_of(const StepSpec& spec, const Request& request) {
  const bool has_own = spec.planned != nullptr && !spec.planned->source.empty();
  return has_own ? spec.planned->source : request.invocation.source;
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
  const std::optional<hip::Preamble>& preamble = spec.planned->preamble;
  if (!preamble || preamble->make == nullptr) return;
  for (const hip::StepOutput& output : preamble->make->outputs) names.insert(output.name);
  for (const hip::StepFile& file : preamble->make->files) names.insert(file.name);
  names.insert({preamble->plain_output, preamble->with_output});
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
    return std::all_of(outputs.begin(), outputs.end(), [&](const hip::StepOutput& output) {
      return output.may_be_missing || output_in(stored, output.role) != nullptr;
    });
  };
}

bool is_doubted(const hip::Step& step, const RequestContext& context) {
  return context.services.doubts.has(step_key(context.request, step, {}).value);
}

void doubt(const hip::Step& step, const std::string& why, const RequestContext& context) {
  context.services.doubts.add(step_key(context.request, step, {}).value);
  context.services.log.info(context.of_object(traits_of(step.kind).doubted + why));
}

void refute(const hip::Step& proof, const std::string& why, const RequestContext& context) {
  const Services& services = context.services;
  const StepSpec spec = spec_to_look_up(proof, context.request);
  services.doubts.add(spec.key.value);
  std::optional<cache::Hit> hit = context.look_up(spec.key, spec.suffices());
  if (!hit || context.request.settings.readonly) return;
  const Result<Digest> refutation = services.store.put_blob(why);
  if (!refutation) return services.log.error("cannot store a refutation: " + refutation.error().message);
  context.lease.add(*refutation);
  const cache::Hit found = *hit;
  for (cache::Output& output : hit->result.outputs) {
    if (output.name != spec.outputs[1].role) continue;
    output.blob = *refutation;
    output.size = why.size();
  }
  if (Status recorded = services.actions.replace(spec.key, found, hit->result); !recorded)
    services.log.error("cannot record a refutation: " + recorded.error().message);
}

StepState::StepState(StepSpec specification) : spec_(std::move(specification)) {
  if (!spec_.unproven.empty()) result.refusal = {Reason::linker_option, spec_.unproven};
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

std::string said_by_failure(const StepResult& failed) {
  std::string_view text = failed.stderr_text;
  std::string said = first_line(failed.stderr_text);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.find("error:") == std::string_view::npos) continue;
    said = line;
    break;
  }
  return "exit code " + std::to_string(failed.exit_code) + (said.empty() ? "" : ": " + said);
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
  step.refusal = text_of(state.result.refusal.reason);
  step.detail = !state.result.is_refused() ? state.result.witnessed.strict_by : state.result.refusal.detail;
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
