#include "daemon/run/plain_run.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <utility>
#include <variant>

#include "daemon/request/foreign_mounts.h"
#include "daemon/run/link_worth.h"
#include "daemon/run/messages.h"
#include "daemon/run/output_recorder.h"
#include "daemon/run/sight.h"
#include "hipcache/base/files.h"
#include "hipcache/base/reason.h"
#include "hipcache/compiler/ast_file.h"

namespace hipcache::daemon {

namespace {

constexpr int kKilled = 128;  // exit codes from here on mean a signal, as in shells
constexpr std::uint64_t kTraceLimit = 256u << 20;

// True also if the state is unknown, unless the directory is missing.
bool is_full(const std::string& directory) {
  constexpr std::uint64_t kEnough = 1u << 20;
  struct statvfs status{};
  if (statvfs(directory.c_str(), &status) != 0) return errno != ENOENT && errno != ENOTDIR;
  return status.f_bavail * status.f_frsize < kEnough || (status.f_files > 0 && status.f_favail == 0);
}

// A failed write leaves the trace without the process's end record.
bool is_whole(const trace::Trace& trace) { return !trace.programs.empty() && trace.ends >= trace.programs.size(); }

std::string doubt_by_trace(const std::string& trace_path, const Request& request) {
  const Result<std::string> bytes = read_file(trace_path, kTraceLimit);
  const Result<trace::Trace> trace = bytes ? trace::read_trace(*bytes) : bytes.error();
  if (!trace || !is_whole(*trace)) return "its trace is not whole";
  const std::string descriptor = inputs::descriptor_read(trace->records, request.from.working_directory);
  return descriptor.empty() ? "" : "it reads " + descriptor;
}

// The disk may have room again by now, so the compiler's messages count, too. Translated messages go unnoticed; the
// other signs remain.
bool speaks_of_room(const std::string& text) {
  for (const int number : {ENOSPC, EDQUOT, EFBIG, EMFILE, ENFILE, ENOMEM})
    if (text.find(strerrordesc_np(number)) != std::string::npos) return true;
  return false;
}

std::string output_directory(const Request& request) {
  return std::string(directory_name(join_path(request.from.working_directory, request.invocation.object)));
}

// Whether a step failed because of the source, or because of trouble that the cache may have caused.
//
// The problem: a step's temporary files and trace lie in a directory of the daemon's. A full disk there, or a signal,
// fails a compile that would succeed without the cache. The choice: each sign of such trouble is a doubt, and the
// client then runs the compiler by itself, as typed. A false doubt costs a failed compile its time again; a missed one
// fails a good build.
// A text for people, like the client's own doubts (protocol::StepDone); empty if the failure is the source's. The only
// decision is whether there is a doubt.
std::string doubt_of_failure(const StepResult& failed, const std::string& trace_path, const StepContext& context) {
  const std::string& directory = context.directory.path();
  if (failed.exit_code < 0 || failed.exit_code >= kKilled) return "a signal ended it";
  if (holds_crash_report(failed.stderr_text)) return "it printed a crash report";
  if (access(directory.c_str(), W_OK) != 0) return directory + " is gone";
  if (is_full(directory)) return "no room in " + directory;
  if (!context.request.invocation.object.empty() && is_full(output_directory(context.request)))
    return "no room for its outputs";
  if (speaks_of_room(failed.stderr_text) || speaks_of_room(failed.stdout_text)) return "it speaks of a lack of room";
  return doubt_by_trace(trace_path, context.request);
}

// Named by step number, because a label may contain characters that a file name must not.
std::string file_of(std::uint32_t step, const char* what, const RequestDirectory& directory) {
  return directory.file(std::to_string(step) + what);
}

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
  state.result.refusal.reason = Reason::step_failed;
  const std::string what = context.of_object(state.spec().label);
  context.services.counters.bundled(text_of(Reason::back_end_failed), what);
  context.services.log.info(what + ": " + why + "; it runs within the bundle");
  return done();
}

// The header was looked up before the run, and its files may have changed until the run began.
void check_preamble(StepState& state, const RequestContext& context) {
  const inputs::Witnessed& header = state.preamble->witnessed;
  if (context.services.file_system.state(*header.set, context.request.from) != header.state)
    state.result.refusal = {Reason::input_changed, "a file of the wrapper header"};
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
  const Relocatability ties =
      spec.is_proof ? Relocatability() : relocatability_of(spec, *outputs, state.result, context.request.from);
  take_trace(state, report, ties, sight, context);
  return outputs;
}

}  // namespace

bool holds_crash_report(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.starts_with("Stack dump:") || line.starts_with("#0 0x")) return true;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return false;
}

std::vector<std::string> programs_of(const StepSpec& spec) {
  std::vector<std::string> programs;
  for (const protocol::Command& command : spec.commands) programs.push_back(command.program);
  return programs;
}

std::vector<std::string> ran_in(const trace::Trace& trace) {
  std::vector<std::string> ran = trace.programs;
  for (const trace::Record& record : trace.records)
    if (record.kind == trace::Kind::execute && record.found && base_name(record.text) == "hipcache")
      ran.push_back(record.text);
  return ran;
}

protocol::RunStep run_message(const StepSpec& spec, std::uint32_t step, const StepContext& context) {
  return {.step = step,
          .directory = context.directory.path(),
          .commands = spec.commands,
          .trace_path = file_of(step, ".trace", context.directory),
          .trace_library = context.services.trace_library};
}

Status take_status(StepState& state, const protocol::StepDone& report, const StepContext& context) {
  if (!report.spawn_error.empty()) return Error{report.spawn_error};
  state.ended = true;
  state.result.exit_code = report.exit_code;
  state.result.failed_command = report.failed_command;
  state.result.duration_us = report.duration_us;
  state.result.processor_us = report.processor_us;
  return take_texts(state, report, context);
}

void take_failure(StepState& state, const protocol::StepDone& report, const StepContext& context) {
  state.result.doubt = doubt_of_failure(state.result, file_of(report.step, ".trace", context.directory), context);
}

Status take_texts(StepState& state, const protocol::StepDone& report, const StepContext& context) {
  const RequestDirectory& directory = context.directory;
  const StepSpec& spec = state.spec();
  StepResult& result = state.result;
  if (!report.doubt.empty()) return Error{spec.label + ": " + report.doubt};
  result.stdout_text = spec.prints_plan ? report.stdout_text : Roots::escaped(report.stdout_text);
  result.stderr_text = spec.prints_plan ? report.stderr_text : Roots::escaped(report.stderr_text);
  // Of a failed opaque compile, a crash report must lie where the compiler says. So that one runs again by itself.
  const bool fails_alone = spec.planned == nullptr && report.exit_code != 0;
  if (spec.prints_plan || (spec.prints_temporary_paths && !fails_alone)) {
    result.stdout_text = as_stored(std::move(result.stdout_text), directory);
    result.stderr_text = as_stored(std::move(result.stderr_text), directory);
  }
  const bool names_directory = result.stderr_text.find(directory.path()) != std::string::npos ||
                               result.stdout_text.find(directory.path()) != std::string::npos;
  if (names_directory) result.refusal.reason = Reason::prints_temporary_names;
  if (holds_crash_report(result.stderr_text)) result.refusal.reason = Reason::prints_crash_report;
  const Request& request = context.request;
  const bool is_as_typed = spec.planned == nullptr;
  if (report.exit_code == 0 && !spec.prints_plan && !spec.is_proof)
    make_portable(result, is_as_typed ? request.invocation.expanded : arguments_of(spec), request.from);
  return done();
}

std::optional<std::vector<trace::Record>> records_of(StepState& state, std::uint32_t step, const StepContext& context) {
  const StepSpec& spec = state.spec();
  Reason& refusal = state.result.refusal.reason;
  Result<std::string> bytes = read_file(file_of(step, spec.trace_ending, context.directory), kTraceLimit);
  if (!bytes) {
    if (refusal == Reason::none) refusal = Reason::untraceable_compiler;  // the trace library did not run
    return std::nullopt;
  }
  Result<std::vector<trace::Record>> records = trace::read_records(*bytes);
  if (records) return std::move(*records);
  context.services.log.warning(context.of_object("trace of " + spec.label + ": " + records.error().message));
  if (refusal == Reason::none) refusal = Reason::trace;
  return std::nullopt;
}

void take_witnessed(StepState& state, const trace::Trace& trace, inputs::Run run, const RequestContext& context) {
  run.lacks_times = compiler::lacks_times;
  auto outcome = inputs::witness(trace, run, context.request.from, context.services.file_system);
  if (auto* refusal = std::get_if<inputs::Refusal>(&outcome))
    state.result.refusal = std::move(*refusal);
  else
    state.result.witnessed = std::move(std::get<inputs::Witnessed>(outcome));
  ForeignMounts* foreign = context.request.foreign_mounts.get();
  if (foreign != nullptr && foreign->have_changed())
    state.result.refusal = {.reason = Reason::input_changed, .detail = "the mounts of its namespace"};
  if (state.result.is_refused()) note_descriptor(state, trace.records, context);
}

void note_descriptor(StepState& state, const std::vector<trace::Record>& records, const RequestContext& context) {
  std::string descriptor = inputs::descriptor_read(records, context.request.from.working_directory);
  if (!descriptor.empty() && !state.result.unusable)
    state.result.unusable = inputs::Refusal{Reason::standard_input, std::move(descriptor)};
}

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
  if (state.result.is_refused()) return note_descriptor(state, trace.records, context);
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
  if (!report.is_of_worker || (!result.is_refused() && !result.unusable)) return done();
  return Error{text_of(result.refusal.reason)};
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
