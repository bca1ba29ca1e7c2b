#include "daemon/run/step_report.h"

#include <unistd.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "daemon/record/collected_output.h"
#include "daemon/record/failure_doubt.h"
#include "daemon/record/output_recorder.h"
#include "daemon/request/reason.h"
#include "daemon/request/request_directory.h"
#include "daemon/run/wrapper.h"
#include "hipcache/base/files.h"

namespace hipcache::daemon {
namespace {

constexpr std::uint64_t kTraceLimit = 256u << 20;

// Named by step number, because a label may contain characters that a file name must not.
std::string file_of(std::uint32_t step, const char* what, const RequestDirectory& directory) {
  return directory.file(std::to_string(step) + what);
}

Result<std::vector<CollectedOutput>> outputs_of(const StepSpec& spec, const StepContext& context) {
  std::vector<CollectedOutput> outputs;
  for (const hip::StepOutput& file : spec.outputs) {
    Result<CollectedOutput> made =
        collect_output(file.role, context.directory.file(file.name), context.request.from.roots);
    if (!made) return made.error();
    outputs.push_back(std::move(*made));
  }
  return outputs;
}

// The file that the step left in the directory beside those that it is known to make, or "". Other steps write there
// at the same time, so the step's own records tell.
std::string lost_file(const StepSpec& spec, const std::vector<trace::Record>& records,
                      const RequestDirectory& directory) {
  std::set<std::string> known;
  add_files_of(spec, directory, known);
  for (const trace::Record& record : records)
    if (record.kind == trace::Kind::open_write && record.found && directory.is_lost(record.text, known))
      return record.text.substr(directory.path().size() + 1);
  return "";
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

bool has_printed(const StepState& state) {
  if (state.spec().prints_plan) return hip::has_messages(state.result.stderr_text);
  return !state.result.stdout_text.empty() || !state.result.stderr_text.empty();
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
  state.result.refusal = reason::kStepFailed;
  const std::string what = context.of_object(state.spec().label);
  context.services.counters.bundled(reason::kBackEndFailed, what);
  context.services.log.info(what + ": " + why + "; it runs within the bundle");
  return done();
}

std::vector<std::string> programs_of(const StepSpec& spec) {
  std::vector<std::string> programs;
  for (const protocol::Command& command : spec.commands) programs.push_back(command.program);
  return programs;
}

// The driver that a wrapper started. Its words replace the driver's standard output, which is empty. If the wrapper is
// not accepted, sets the refusal.
DriverBehind take_driver(StepState& state, const StepContext& context) {
  auto behind = driver_behind(state, context);
  if (auto* why = std::get_if<std::string>(&behind)) {
    state.result.refuse({reason::kWrapper, std::move(*why)});
    return {};
  }
  auto& driver = std::get<DriverBehind>(behind);
  state.result.stdout_text = stored_words(driver.words);
  return std::move(driver);
}

}  // namespace

protocol::RunStep run_message(const StepSpec& spec, std::uint32_t step, const StepContext& context) {
  return {.step = step,
          .directory = context.directory.path(),
          .commands = spec.commands,
          .trace_path = file_of(step, ".trace", context.directory),
          .trace_library = context.services.trace_library};
}

Status take_texts(StepState& state, const protocol::StepDone& report, const RequestDirectory& directory) {
  const StepSpec& spec = state.spec();
  StepResult& result = state.result;
  if (!report.doubt.empty()) return Error{spec.label + ": " + report.doubt};
  result.stdout_text = report.stdout_text;
  result.stderr_text = report.stderr_text;
  // Of a failed opaque compile, a crash report must lie where the compiler says. So that one runs again by itself.
  const bool fails_alone = spec.planned == nullptr && report.exit_code != 0;
  if (spec.prints_plan || (spec.prints_temporary_paths && !fails_alone)) {
    result.stdout_text = as_stored(std::move(result.stdout_text), directory);
    result.stderr_text = as_stored(std::move(result.stderr_text), directory);
  }
  const bool names_directory = result.stderr_text.find(directory.path()) != std::string::npos ||
                               result.stdout_text.find(directory.path()) != std::string::npos;
  if (names_directory) result.refusal = reason::kPrintsTemporaryNames;
  if (holds_crash_report(result.stderr_text)) result.refusal = reason::kPrintsCrashReport;
  return done();
}

void take_trace(StepState& state, const protocol::StepDone& report, const Relocatability& ties,
                const inputs::Sight& sight, const StepContext& context) {
  const StepSpec& spec = state.spec();
  std::optional<std::vector<trace::Record>> records = records_of(state, report.step, context);
  if (!records) return;
  if (std::string lost = spec.prints_plan ? "" : lost_file(spec, *records, context.directory); !lost.empty())
    state.result.make_unusable({reason::kWritesMoreThanKnown, std::move(lost)});
  const trace::Trace trace = trace::trace_of(std::move(*records));
  if (spec.prints_plan) state.result.ran = ran_in(trace);
  const bool wraps = spec.by_script || spec.through;
  DriverBehind behind;
  if (spec.through && state.result.refusal.empty()) behind = take_driver(state, context);
  state.result.answered = static_cast<std::size_t>(
      std::count_if(trace.records.begin(), trace.records.end(),
                    [](const trace::Record& record) { return record.kind == trace::Kind::answer; }));
  // A plan contains the date of SOURCE_DATE_EPOCH. If the date cannot be replaced, the plan is valid for that date
  // only.
  const bool replaces_date = spec.prints_plan && hip::may_take_another_date(state.result.stderr_text);
  std::vector<std::string> programs = programs_of(spec);
  if (!behind.beside.empty()) programs.push_back(behind.beside);
  const inputs::Run run{.programs = std::move(programs),
                        .may_start_others = spec.may_start_others,
                        .directory = context.directory.path(),
                        .started_ns = report.started_ns,
                        .roots = ties.roots,
                        .shows_cuid = ties.cuid,
                        .shows_command = ties.command || (spec.prints_plan && !replaces_date),
                        .shows_colour = ties.command || has_printed(state),
                        .plans = replaces_date,
                        .plans_look = spec.prints_plan,
                        .is_mixed = report.mixed && !spec.prints_plan,
                        .is_opaque = wraps,
                        .has_unseen_program = !behind.beside.empty(),
                        .sight = sight,
                        .shows_directory = wraps};
  if (state.result.refusal.empty()) return take_witnessed(state, trace, run, context);
  note_descriptor(state, trace.records, context);
}

std::optional<std::vector<trace::Record>> records_of(StepState& state, std::uint32_t step, const StepContext& context) {
  const StepSpec& spec = state.spec();
  std::string& refusal = state.result.refusal;
  Result<std::string> bytes = read_file(file_of(step, spec.trace_ending, context.directory), kTraceLimit);
  if (!bytes) {
    if (refusal.empty()) refusal = reason::kUntraceable;  // the trace library did not run
    return std::nullopt;
  }
  Result<std::vector<trace::Record>> records = trace::read_records(*bytes);
  if (records) return std::move(*records);
  context.services.log.warning(context.of_object("trace of " + spec.label + ": " + records.error().message));
  if (refusal.empty()) refusal = reason::kTrace;
  return std::nullopt;
}

void take_witnessed(StepState& state, const trace::Trace& trace, const inputs::Run& run,
                    const RequestContext& context) {
  auto outcome = inputs::witness(trace, run, context.request.from, context.services.file_system);
  if (auto* refusal = std::get_if<inputs::Refusal>(&outcome))
    state.result.refuse(std::move(*refusal));
  else
    state.result.witnessed = std::move(std::get<inputs::Witnessed>(outcome));
  if (!state.result.refusal.empty()) note_descriptor(state, trace.records, context);
}

void note_descriptor(StepState& state, const std::vector<trace::Record>& records, const RequestContext& context) {
  state.result.descriptor = inputs::descriptor_read(records, context.request.from.working_directory);
}

Status take_in(StepState& state, const protocol::StepDone& report, const StepContext& context) {
  if (!report.spawn_error.empty()) return Error{report.spawn_error};
  state.ended = true;
  state.result.exit_code = report.exit_code;
  state.result.failed_command = report.failed_command;
  state.result.duration_us = report.duration_us;
  state.result.processor_us = report.processor_us;
  if (Status texts = take_texts(state, report, context.directory); !texts) return texts;
  if (state.spec().is_tentative) {
    const Status said = state.succeeded() ? keep_said(state, context.directory) : Status(Error{"it failed"});
    if (!said) return give_up(state, said.error().message, context);
  }
  if (!state.succeeded()) {
    state.result.doubt = doubt_of_failure(state.result, file_of(report.step, ".trace", context.directory), context);
    return done();
  }
  if (state.handler != nullptr) {
    state.handler->take_outputs(state, report);
    return done();
  }
  Result<std::vector<CollectedOutput>> outputs = outputs_of(state.spec(), context);
  if (!outputs) return outputs.error();
  if (auto why = state.spec().is_proof ? std::nullopt : names_directory(*outputs, context.directory))
    state.result.make_unusable(*std::move(why));
  // This comes before the outputs are stored, because outputs that may not be recorded need not be stored.
  const StepSpec& spec = state.spec();
  const inputs::Sight sight =
      spec.reads_source ? sight_of(spec.commands.front().argv, *outputs, state.result) : inputs::kNoSources;
  take_trace(state, report, ties_of(state, *outputs, context.request.from), sight, context);
  keep(state, std::move(*outputs), context);
  return done();
}

}  // namespace hipcache::daemon
