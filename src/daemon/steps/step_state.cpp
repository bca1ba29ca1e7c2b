#include "daemon/steps/step_state.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "daemon/opaque/opaque_run.h"
#include "daemon/request/reason.h"
#include "daemon/request/temporary_paths.h"
#include "daemon/steps/failure_doubt.h"
#include "daemon/steps/output_recorder.h"
#include "daemon/steps/relocatability.h"
#include "daemon/steps/wrapper.h"
#include "hipcache/base/files.h"
#include "hipcache/inputs/path_set_builder.h"
#include "hipcache/trace/record.h"

namespace hipcache::daemon {
namespace {

constexpr std::uint64_t kTraceLimit = 256u << 20;

// Named by step number, because a label may contain characters that a file name must not.
std::string file_of(std::uint32_t step, const char* what, const RequestDirectory& directory) {
  return directory.file(std::to_string(step) + what);
}

Result<std::vector<CollectedOutput>> outputs_of(const StepState& work, const Request& request,
                                                const RequestDirectory& directory) {
  std::vector<CollectedOutput> outputs;
  for (const hip::StepOutput& file : work.outputs) {
    Result<CollectedOutput> made = collect_output(file.role, directory.file(file.name), request.from.roots);
    if (!made) return made.error();
    outputs.push_back(std::move(*made));
  }
  return outputs;
}

// A depfile may be stored in portable form.
const cache::Output* output_in(const cache::ActionResult& result, const std::string& role) {
  const cache::Output* found = result.output(role);
  return found == nullptr && role == hip::kDepfile ? result.output(hip::kPortableDepfile) : found;
}

Relocatability ties_of(const StepState& work, const std::vector<CollectedOutput>& outputs,
                       const inputs::RunContext& from) {
  if (work.is_proof) return {};
  Relocatability ties(work.maps);
  ties.roots.hidden = work.hashes_names;
  ties.roots.named = work.named_roots;
  ties.cuid = work.hashes_names && !from.cuid.empty();
  for (const CollectedOutput& output : outputs) ties.look_into(output.role, output.bytes, from);
  ties.look_into(work.result.stdout_text, from);
  ties.look_into(work.result.stderr_text, from);
  return ties;
}

bool has_printed(const StepState& work) {
  if (work.prints_plan) return hip::has_messages(work.result.stderr_text);
  return !work.result.stdout_text.empty() || !work.result.stderr_text.empty();
}

// Writes the messages to an output file, because another step prints them.
Status keep_said(StepState& work, const RequestDirectory& directory) {
  if (!work.result.stdout_text.empty()) return Error{"it prints to its standard output"};
  const std::string said = std::exchange(work.result.stderr_text, "");
  for (const hip::StepOutput& file : work.outputs)
    if (file.role == hip::kSaid)
      if (Status written = replace_file(directory.file(file.name), said); !written) return written;
  return done();
}

// Turns the failure into a success without outputs.
Status give_up(StepState& work, const std::string& why, const Request& request, const RequestDirectory& directory,
               const Services& services) {
  for (const hip::StepOutput& file : work.outputs) unlink(directory.file(file.name).c_str());
  work.exit_code = 0;
  work.result = {};
  work.refusal = reason::kStepFailed;
  services.counters.bundled(reason::kBackEndFailed, request.invocation.object + ": " + work.label);
  services.log.info(request.invocation.object + ": " + work.label + ": " + why + "; it runs within the bundle");
  return done();
}

std::vector<std::string> programs_of(const StepState& work) {
  std::vector<std::string> programs;
  for (const protocol::Command& command : work.commands) programs.push_back(command.program);
  return programs;
}

// The driver that a wrapper started. Its words replace the driver's standard output, which is empty. If the wrapper is
// not accepted, sets the refusal.
DriverBehind take_driver(StepState& work, const Request& request, const RequestDirectory& directory,
                         const Services& services) {
  auto behind = driver_behind(work, request, directory, services);
  if (auto* why = std::get_if<std::string>(&behind)) {
    work.refusal = reason::kWrapper;
    work.refusal_detail = std::move(*why);
    return {};
  }
  auto& driver = std::get<DriverBehind>(behind);
  work.result.stdout_text = stored_words(driver.words);
  return std::move(driver);
}

}  // namespace

Status take_texts(StepState& work, const protocol::StepDone& report, const RequestDirectory& directory) {
  if (!report.doubt.empty()) return Error{work.label + ": " + report.doubt};
  work.result.stdout_text = report.stdout_text;
  work.result.stderr_text = report.stderr_text;
  if (work.prints_plan || work.prints_temporary_paths) {
    work.result.stdout_text = as_stored(std::move(work.result.stdout_text), directory);
    work.result.stderr_text = as_stored(std::move(work.result.stderr_text), directory);
  }
  const bool names_directory = work.result.stderr_text.find(directory.path()) != std::string::npos ||
                               work.result.stdout_text.find(directory.path()) != std::string::npos;
  if (names_directory) work.refusal = reason::kPrintsTemporaryNames;
  return done();
}

void take_trace(StepState& work, const protocol::StepDone& report, const Relocatability& ties, const Request& request,
                const RequestDirectory& directory, const Services& services) {
  std::optional<std::vector<trace::Record>> records = records_of(work, report.step, directory, services);
  if (!records) return;
  const trace::Trace trace = trace::trace_of(std::move(*records));
  if (work.prints_plan) work.ran = trace.programs;
  const bool wraps = work.by_script || work.through;
  DriverBehind behind;
  if (work.through && work.refusal.empty()) behind = take_driver(work, request, directory, services);
  work.answered = static_cast<std::size_t>(
      std::count_if(trace.records.begin(), trace.records.end(),
                    [](const trace::Record& record) { return record.kind == trace::Kind::answer; }));
  // A plan contains the date of SOURCE_DATE_EPOCH. If the date cannot be replaced, the plan is valid for that date
  // only.
  const bool replaces_date = work.prints_plan && hip::may_take_another_date(work.result.stderr_text);
  std::vector<std::string> programs = programs_of(work);
  if (!behind.beside.empty()) programs.push_back(behind.beside);
  const inputs::Run run{.programs = std::move(programs),
                        .may_start_others = work.may_start_others,
                        .directory = directory.path(),
                        .started_ns = report.started_ns,
                        .roots = ties.roots,
                        .shows_cuid = ties.cuid,
                        .shows_command = ties.command || (work.prints_plan && !replaces_date),
                        .shows_colour = ties.command || has_printed(work),
                        .plans = replaces_date,
                        .is_opaque = wraps,
                        .has_unseen_program = !behind.beside.empty(),
                        .shows_directory = wraps};
  if (work.refusal.empty()) take_witnessed(work, inputs::witness(trace, run, request.from, services.file_system));
  if (!work.refusal.empty()) work.descriptor = inputs::descriptor_read(trace.records, request.from.working_directory);
}

std::optional<std::vector<trace::Record>> records_of(StepState& work, std::uint32_t step,
                                                     const RequestDirectory& directory, const Services& services) {
  Result<std::string> bytes = read_file(file_of(step, work.trace_ending, directory), kTraceLimit);
  if (!bytes) {
    if (work.refusal.empty()) work.refusal = reason::kUntraceable;  // the trace library did not run
    return std::nullopt;
  }
  Result<std::vector<trace::Record>> records = trace::read_records(*bytes);
  if (records) return std::move(*records);
  services.log.warning("trace of " + work.label + ": " + records.error().message);
  if (work.refusal.empty()) work.refusal = reason::kTrace;
  return std::nullopt;
}

void note_not_stored(const StepState& work, const Request& request, const Services& services) {
  const std::string& object = request.invocation.object;
  const std::string what = (object.empty() ? "" : object + ": ") + work.label;
  const std::string file = work.refusal_detail.empty() ? "" : ": " + work.refusal_detail;
  services.counters.not_stored(work.refusal, what + file);
  services.log.info(what + " is not stored: " + work.refusal + file);
}

void take_witnessed(StepState& work, std::variant<inputs::Witnessed, inputs::Refusal> outcome) {
  if (const auto* refusal = std::get_if<inputs::Refusal>(&outcome)) {
    work.refusal = refusal->reason;
    work.refusal_detail = refusal->detail;
    return;
  }
  work.witnessed = std::move(std::get<inputs::Witnessed>(outcome));
}

cache::Suffices StepState::suffices() const {
  return [this](const cache::ActionResult& stored) {
    return std::all_of(outputs.begin(), outputs.end(),
                       [&](const hip::StepOutput& output) { return output_in(stored, output.role) != nullptr; });
  };
}

const cache::Output* StepState::made(const hip::StepOutput& output) const { return output_in(result, output.role); }

const cache::Output* StepState::given(const hip::StepOutput& output) const {
  return !output.fatbin.empty() && filled ? &filled->output : made(output);
}

protocol::RunStep run_message(const StepState& work, std::uint32_t step, const RequestDirectory& directory,
                              const Services& services) {
  return {.step = step,
          .directory = directory.path(),
          .commands = work.commands,
          .trace_path = file_of(step, ".trace", directory),
          .trace_library = services.trace_library};
}

Status take_in(StepState& work, const protocol::StepDone& report, const Request& request,
               const RequestDirectory& directory, const Services& services, store::Lease& lease) {
  if (!report.spawn_error.empty()) return Error{report.spawn_error};
  work.ended = true;
  work.exit_code = report.exit_code;
  work.failed_command = report.failed_command;
  work.result.duration_us = report.duration_us;
  if (Status texts = take_texts(work, report, directory); !texts) return texts;
  if (work.is_tentative) {
    const Status said = work.succeeded() ? keep_said(work, directory) : Status(Error{"it failed"});
    if (!said) return give_up(work, said.error().message, request, directory, services);
  }
  if (!work.succeeded()) {
    work.doubt = doubt_of_failure(work, file_of(report.step, ".trace", directory), request, directory);
    return done();
  }
  if (work.is_opaque) return take_opaque(work, report, request, directory, services, lease);

  Result<std::vector<CollectedOutput>> outputs = outputs_of(work, request, directory);
  if (!outputs) return outputs.error();
  // This comes before the outputs are stored, because outputs that may not be recorded need not be stored.
  take_trace(work, report, ties_of(work, *outputs, request.from), request, directory, services);
  store_outputs(work, std::move(*outputs), request, services, lease);
  if (work.refusal.empty()) {
    record(work, request, services);
  } else {
    work.witnessed.set = nullptr;
    const bool is_asked_again = work.prints_plan && !work.through && work.refusal == reason::kWrapper;
    if (!is_asked_again) note_not_stored(work, request, services);
  }
  return done();
}

Result<std::string> read_output(const StepState& work, const hip::StepOutput& file, const std::string& directory,
                                store::Store& store) {
  if (!work.hit) return read_file(directory + "/" + file.name, kOutputLimit);
  const cache::Output* output = work.made(file);
  if (output == nullptr) return Error{"the stored " + work.label + " has no " + file.role};
  Result<std::optional<std::string>> bytes = store.blob(output->blob);
  if (!bytes) return bytes.error();
  if (!*bytes) return Error{"the stored " + work.label + " has lost its " + file.role};
  return std::move(**bytes);
}

Status materialise(const StepState& work, const hip::StepOutput& file, const RequestDirectory& directory,
                   store::Store& store) {
  const Result<std::string> bytes = read_output(work, file, directory.path(), store);
  if (!bytes) return bytes.error();
  return replace_file(directory.file(file.name), *bytes);
}

}  // namespace hipcache::daemon
