#include "daemon/run/step_report.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "daemon/record/collected_output.h"
#include "daemon/record/output_recorder.h"
#include "daemon/request/foreign_mounts.h"
#include "daemon/request/request_context.h"
#include "hipcache/base/files.h"
#include "hipcache/base/reason.h"
#include "hipcache/compiler/ast_file.h"
#include "hipcache/inputs/path_set_builder.h"
#include "hipcache/trace/record.h"

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

}  // namespace

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
  return take_texts(state, report, context.directory);
}

void take_failure(StepState& state, const protocol::StepDone& report, const StepContext& context) {
  state.result.doubt = doubt_of_failure(state.result, file_of(report.step, ".trace", context.directory), context);
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
  if (names_directory) result.refusal = Reason::prints_temporary_names;
  if (holds_crash_report(result.stderr_text)) result.refusal = Reason::prints_crash_report;
  return done();
}

std::optional<std::vector<trace::Record>> records_of(StepState& state, std::uint32_t step, const StepContext& context) {
  const StepSpec& spec = state.spec();
  Reason& refusal = state.result.refusal;
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
    state.result.refuse(std::move(*refusal));
  else
    state.result.witnessed = std::move(std::get<inputs::Witnessed>(outcome));
  ForeignMounts* foreign = context.request.foreign_mounts.get();
  if (foreign != nullptr && foreign->have_changed())
    state.result.refuse({.reason = Reason::input_changed, .detail = "the mounts of its namespace"});
  if (state.result.refusal != Reason::none) note_descriptor(state, trace.records, context);
}

void note_descriptor(StepState& state, const std::vector<trace::Record>& records, const RequestContext& context) {
  std::string descriptor = inputs::descriptor_read(records, context.request.from.working_directory);
  if (!descriptor.empty() && !state.result.unusable)
    state.result.unusable = inputs::Refusal{Reason::standard_input, std::move(descriptor)};
}

}  // namespace hipcache::daemon
