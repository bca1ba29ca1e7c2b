#include "daemon/run/plain_run.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "daemon/record/collected_output.h"
#include "daemon/record/link_worth.h"
#include "daemon/record/output_recorder.h"
#include "daemon/record/sight.h"
#include "daemon/run/step_report.h"
#include "hipcache/base/files.h"
#include "hipcache/base/reason.h"
#include "hipcache/trace/record.h"

namespace hipcache::daemon {
namespace {

Result<std::vector<CollectedOutput>> outputs_of(const StepSpec& spec, const StepContext& context) {
  std::vector<CollectedOutput> outputs;
  for (const hip::StepOutput& file : spec.outputs) {
    if (file.may_be_missing && access(context.directory.file(file.name).c_str(), F_OK) != 0) continue;
    Result<CollectedOutput> made =
        collect_output(file.role, context.directory.file(file.name), context.request.from.roots);
    if (!made) return made.error();
    outputs.push_back(std::move(*made));
  }
  return outputs;
}

// The file that the step left in the directory beside those that it is known to make. Other steps write there at the
// same time, so the step's own records tell.
std::optional<inputs::Refusal> lost_file(const StepSpec& spec, const std::vector<trace::Record>& records,
                                         const RequestDirectory& directory) {
  std::set<std::string> known;
  add_files_of(spec, directory, known);
  for (const trace::Record& record : records)
    if (record.kind == trace::Kind::open_write && record.found && directory.is_lost(record.text, known))
      return inputs::Refusal{Reason::writes_more_than_known, record.text.substr(directory.path().size() + 1)};
  return std::nullopt;
}

Relocatability ties_of(const StepState& state, const std::vector<CollectedOutput>& outputs,
                       const inputs::RunContext& from) {
  const StepSpec& spec = state.spec();
  if (spec.is_proof) return {};
  Relocatability ties = relocatability_of(spec.maps, outputs, state.result, from);
  ties.roots.hidden = ties.roots.hidden || spec.hashes_names;
  ties.roots.named = spec.named_roots;
  ties.roots.arguments = arguments_of(spec);
  ties.cuid = ties.cuid || (spec.hashes_names && !from.cuid.empty());
  return ties;
}

// Writes the messages to an output file, because another step prints them.
Status keep_said(StepState& state, const RequestDirectory& directory) {
  if (!state.result.stdout_text.empty()) return Error{"it prints to its standard output"};
  const std::string said = std::exchange(state.result.stderr_text, "");
  for (const hip::StepOutput& file : state.spec().outputs)
    if (file.role == hip::kSaid)
      if (Status written = replace_file(directory.file(file.name), said); !written) return written;
  return done();
}

// Turns the failure into a success without outputs.
Status give_up(StepState& state, const std::string& why, const StepContext& context) {
  for (const hip::StepOutput& file : state.spec().outputs) unlink(context.directory.file(file.name).c_str());
  state.result.exit_code = 0;
  state.result.take({});
  state.result.refusal = Reason::step_failed;
  const std::string what = context.of_object(state.spec().label);
  context.services.counters.bundled(text_of(Reason::back_end_failed), what);
  context.services.log.info(what + ": " + why + "; it runs within the bundle");
  return done();
}

// The header was looked up before the run, and its files may have changed until the run began.
void check_preamble(StepState& state, const RequestContext& context) {
  const inputs::Witnessed& header = state.preamble->witnessed;
  if (context.services.file_system.state(*header.set, context.request.from) != header.state)
    state.result.refuse({Reason::input_changed, "a file of the wrapper header"});
}

// This comes before the outputs are stored, because outputs that may not be recorded need not be stored.
Result<std::vector<CollectedOutput>> examine_outputs(StepState& state, const protocol::StepDone& report,
                                                     const StepContext& context) {
  const StepSpec& spec = state.spec();
  std::vector<std::string> paths;
  for (const hip::StepOutput& file : spec.outputs) paths.push_back(context.directory.file(file.name));
  if (auto refusal = too_large(state, paths, context)) return Error{spec.label + ": " + refusal->detail};
  Result<std::vector<CollectedOutput>> outputs = outputs_of(spec, context);
  if (!outputs) return outputs.error();
  if (auto why = spec.is_proof ? std::nullopt : names_directory(*outputs, context.directory))
    state.result.make_unusable(*std::move(why));
  const inputs::Sight sight = spec.reads_source
                                  ? sight_of(spec.commands.front().argv, *outputs, state.result, context.request.from)
                                  : inputs::kNoSources;
  take_trace(state, report, ties_of(state, *outputs, context.request.from), sight, context);
  return outputs;
}

}  // namespace

// A file that a step of this request made is there. So is one that was brought for another step.
Status prepare_plainly(const StepState& state, const StepContext& context) {
  const RequestDirectory& directory = context.directory;
  for (const GivenInput& input : state.given) {
    if (const auto& filled = input.step->result.filled; filled && !input.file->fatbin.empty()) {
      if (Status written = replace_file(directory.file(input.file->name), filled->bytes); !written) return written;
      continue;
    }
    if (!input.step->hit || access(directory.file(input.file->name).c_str(), F_OK) == 0) continue;
    if (Status written = materialise(*input.step, *input.file, context); !written) return written;
  }
  if (state.spec().planned == nullptr) return done();
  for (const hip::StepFile& file : state.spec().planned->files) {
    const std::string bytes = file.verbatim ? file.bytes : hip::in_directory({file.bytes}, directory.path()).front();
    if (Status written = replace_file(directory.file(file.name), bytes); !written) return written;
  }
  return done();
}

void take_trace(StepState& state, const protocol::StepDone& report, const Relocatability& ties,
                const inputs::Sight& sight, const StepContext& context) {
  const StepSpec& spec = state.spec();
  std::optional<std::vector<trace::Record>> records = records_of(state, report.step, context);
  if (!records) return;
  if (auto lost = lost_file(spec, *records, context.directory)) state.result.make_unusable(*std::move(lost));
  const trace::Trace trace = trace::trace_of(std::move(*records));
  state.result.answered = static_cast<std::size_t>(
      std::count_if(trace.records.begin(), trace.records.end(),
                    [](const trace::Record& record) { return record.kind == trace::Kind::answer; }));
  if (state.result.refusal != Reason::none) return note_descriptor(state, trace.records, context);
  using Others = inputs::Programs::Others;
  // The id of relocatable code is made of all macros.
  inputs::Sight seen = sight;
  if (ties.cuid && !context.request.from.relocatable_cuid.empty()) seen.macros = inputs::Sight::Macros::every;
  const bool has_printed = !state.result.stdout_text.empty() || !state.result.stderr_text.empty();
  take_witnessed(
      state, trace,
      {.programs = {.commands = programs_of(spec), .others = spec.may_start_others ? Others::traced : Others::none},
       .directory = context.directory.path(),
       .started_ns = report.started_ns,
       .shows = ties.shown(has_printed),
       .is_mixed = report.mixed,
       .sight = seen,
       .stands_on = state.preamble ? state.preamble->witnessed.set.get() : nullptr},
      context);
  if (state.preamble) check_preamble(state, context);
}

Status check_if_of_worker(const protocol::StepDone& report, const StepResult& result) {
  if (!report.is_of_worker || (result.refusal == Reason::none && !result.unusable)) return done();
  return Error{text_of(result.refusal)};
}

Status take_in_plainly(StepState& state, const protocol::StepDone& report, const StepContext& context) {
  if (Status status = take_status(state, report, context); !status) return status;
  const StepSpec& spec = state.spec();
  if (spec.is_tentative) {
    const Status said = state.succeeded() ? keep_said(state, context.directory) : Status(Error{"it failed"});
    if (!said) return give_up(state, said.error().message, context);
  }
  if (!state.succeeded()) {
    take_failure(state, report, context);
    return done();
  }
  Result<std::vector<CollectedOutput>> outputs = examine_outputs(state, report, context);
  if (!outputs) return outputs.error();
  if (Status proved = check_if_of_worker(report, state.result); !proved) return proved;
  if (!keep(state, std::move(*outputs), context)) note_not_stored(state, context);
  return done();
}

Status PlainRun::prepare() { return prepare_plainly(state_, context_); }

Status PlainRun::take(const protocol::StepDone& report) { return take_in_plainly(state_, report, context_); }

}  // namespace hipcache::daemon
