#include "hipcache/protocol/messages.h"

#include <utility>

#include "messages.pb.h"

namespace hipcache::protocol {
namespace {

template <typename Repeated>
std::vector<std::string> take_strings(Repeated* field) {
  std::vector<std::string> strings;
  strings.reserve(static_cast<std::size_t>(field->size()));
  for (std::string& text : *field) strings.push_back(std::move(text));
  return strings;
}

template <typename Repeated>
void put_strings(const std::vector<std::string>& strings, Repeated* field) {
  field->Reserve(static_cast<int>(strings.size()));
  for (const std::string& text : strings) *field->Add() = text;
}

// put: a struct into the envelope. One overload for each kind of message.

void put(const CompileRequest& from, wire::Envelope& envelope) {
  wire::CompileRequest& to = *envelope.mutable_compile_request();
  to.set_build(from.build);
  put_strings(from.argv, to.mutable_argv());
  put_strings(from.environment, to.mutable_environment());
  to.set_working_directory(from.working_directory);
  to.mutable_mount_view()->set_mount_namespace(from.mount_view.mount_namespace);
  to.mutable_mount_view()->set_root_device(from.mount_view.root_device);
  to.mutable_mount_view()->set_root_inode(from.mount_view.root_inode);
  to.set_umask(from.umask);
  to.set_streams(from.streams);
  to.set_plan_only(from.plan_only);
  to.set_explain(from.explain);
}

void put(const ControlRequest& from, wire::Envelope& envelope) {
  envelope.mutable_control_request()->set_build(from.build);
  envelope.mutable_control_request()->set_kind(static_cast<std::uint32_t>(from.kind));
}

void put(const StepDone& from, wire::Envelope& envelope) {
  wire::StepDone& to = *envelope.mutable_step_done();
  to.set_step(from.step);
  to.set_exit_code(from.exit_code);
  to.set_failed_command(from.failed_command);
  to.set_started_ns(from.started_ns);
  to.set_duration_us(from.duration_us);
  to.set_processor_us(from.processor_us);
  to.set_spawn_error(from.spawn_error);
  to.set_stdout_text(from.stdout_text);
  to.set_stderr_text(from.stderr_text);
  to.set_doubt(from.doubt);
  to.set_mixed(from.mixed);
}

void put(const PassThrough& from, wire::Envelope& envelope) {
  envelope.mutable_pass_through()->set_reason(from.reason);
  envelope.mutable_pass_through()->set_wrapper_library(from.wrapper_library);
}

void put(const RunStep& from, wire::Envelope& envelope) {
  wire::RunStep& to = *envelope.mutable_run_step();
  to.set_step(from.step);
  to.set_directory(from.directory);
  for (const Command& command : from.commands) {
    wire::Command& added = *to.add_commands();
    added.set_program(command.program);
    put_strings(command.argv, added.mutable_argv());
  }
  to.set_trace_path(from.trace_path);
  to.set_trace_library(from.trace_library);
}

void put(const Finish& from, wire::Envelope& envelope) {
  wire::Finish& to = *envelope.mutable_finish();
  to.set_exit_code(from.exit_code);
  to.set_stdout_text(from.stdout_text);
  to.set_stderr_text(from.stderr_text);
  for (const PlacedOutput& output : from.outputs) {
    wire::PlacedOutput& added = *to.add_outputs();
    added.set_path(output.path);
    added.set_in_place(output.in_place);
    added.set_executable(output.executable);
    if (output.content) added.set_content(*output.content);
    added.set_in_place_if_empty(output.in_place_if_empty);
  }
  put_strings(from.removed, to.mutable_removed());
}

void put(const PlanReport& from, wire::Envelope& envelope) {
  wire::PlanReport& to = *envelope.mutable_plan_report();
  to.set_reason(from.reason);
  to.set_detail(from.detail);
  to.set_cuid(from.cuid);
  to.set_request_key(from.request_key);
  to.set_request_stored(from.request_stored);
  for (const PlanStep& step : from.steps) {
    wire::PlanStep& added = *to.add_steps();
    added.set_name(step.name);
    added.set_key(step.key);
    added.set_stored(step.stored);
    added.set_inputs(step.inputs);
  }
}

void put(const ControlReply& from, wire::Envelope& envelope) {
  envelope.mutable_control_reply()->set_error(from.error);
  envelope.mutable_control_reply()->set_text(from.text);
}

void put(const VersionMismatch& from, wire::Envelope& envelope) {
  envelope.mutable_version_mismatch()->set_daemon_build(from.daemon_build);
}

void put(const Busy& from, wire::Envelope& envelope) { envelope.mutable_busy()->set_reason(from.reason); }

void put(const KeepWaiting&, wire::Envelope& envelope) { envelope.mutable_keep_waiting(); }

void put_step(const ExplainedStep& from, wire::ExplainedStep& to) {
  to.set_name(from.name);
  to.set_verdict(static_cast<std::uint32_t>(from.verdict));
  for (const Difference& difference : from.differences) {
    wire::Difference& added = *to.add_differences();
    added.set_kind(static_cast<std::uint32_t>(difference.kind));
    added.set_name(difference.name);
    added.set_now(difference.now);
    added.set_was(difference.was);
  }
  to.set_more(from.more);
  for (const Tie& tie : from.ties) {
    wire::Tie& added = *to.add_ties();
    added.set_by(static_cast<std::uint32_t>(tie.by));
    added.set_name(tie.name);
    added.set_other(tie.other);
    added.set_more(tie.more);
  }
}

void put(const Explanation& from, wire::Envelope& envelope) {
  wire::Explanation& to = *envelope.mutable_explanation();
  to.set_reason(from.reason);
  to.set_detail(from.detail);
  to.set_compared(from.compared);
  put_step(from.request, *to.mutable_request());
  for (const ExplainedStep& step : from.steps) put_step(step, *to.add_steps());
}

// take: a struct out of the envelope, moving its texts.

Message take(wire::CompileRequest* from) {
  CompileRequest to;
  to.build = std::move(*from->mutable_build());
  to.argv = take_strings(from->mutable_argv());
  to.environment = take_strings(from->mutable_environment());
  to.working_directory = std::move(*from->mutable_working_directory());
  to.mount_view = {from->mount_view().mount_namespace(), from->mount_view().root_device(),
                   from->mount_view().root_inode()};
  to.umask = from->umask();
  to.streams = std::move(*from->mutable_streams());
  to.plan_only = from->plan_only();
  to.explain = from->explain();
  return to;
}

Result<Message> take(wire::ControlRequest* from) {
  if (from->kind() > static_cast<std::uint32_t>(ControlKind::import_results))
    return Error{"message is a control request of unknown kind " + std::to_string(from->kind())};
  return Message(ControlRequest{std::move(*from->mutable_build()), static_cast<ControlKind>(from->kind())});
}

Message take(wire::StepDone* from) {
  return StepDone{from->step(),
                  from->exit_code(),
                  from->failed_command(),
                  from->started_ns(),
                  from->duration_us(),
                  from->processor_us(),
                  std::move(*from->mutable_spawn_error()),
                  std::move(*from->mutable_stdout_text()),
                  std::move(*from->mutable_stderr_text()),
                  std::move(*from->mutable_doubt()),
                  from->mixed()};
}

Message take(wire::RunStep* from) {
  RunStep to;
  to.step = from->step();
  to.directory = std::move(*from->mutable_directory());
  for (wire::Command& command : *from->mutable_commands())
    to.commands.push_back({std::move(*command.mutable_program()), take_strings(command.mutable_argv())});
  to.trace_path = std::move(*from->mutable_trace_path());
  to.trace_library = std::move(*from->mutable_trace_library());
  return to;
}

Message take(wire::Finish* from) {
  Finish to;
  to.exit_code = from->exit_code();
  to.stdout_text = std::move(*from->mutable_stdout_text());
  to.stderr_text = std::move(*from->mutable_stderr_text());
  for (wire::PlacedOutput& output : *from->mutable_outputs()) {
    to.outputs.push_back({.path = std::move(*output.mutable_path()),
                          .in_place = output.in_place(),
                          .executable = output.executable(),
                          .content = std::nullopt,
                          .in_place_if_empty = output.in_place_if_empty()});
    if (output.has_content()) to.outputs.back().content = std::move(*output.mutable_content());
  }
  to.removed = take_strings(from->mutable_removed());
  return to;
}

Message take(wire::PlanReport* from) {
  PlanReport to;
  to.reason = std::move(*from->mutable_reason());
  to.detail = std::move(*from->mutable_detail());
  to.cuid = std::move(*from->mutable_cuid());
  to.request_key = std::move(*from->mutable_request_key());
  to.request_stored = from->request_stored();
  for (wire::PlanStep& step : *from->mutable_steps())
    to.steps.push_back({std::move(*step.mutable_name()), std::move(*step.mutable_key()), step.stored(), step.inputs()});
  return to;
}

Message take(wire::ControlReply* from) {
  return ControlReply{std::move(*from->mutable_error()), std::move(*from->mutable_text())};
}

Result<ExplainedStep> take(wire::ExplainedStep* from) {
  if (from->verdict() > static_cast<std::uint32_t>(Verdict::bundles))
    return Error{"message has an unknown verdict, " + std::to_string(from->verdict())};
  ExplainedStep to{std::move(*from->mutable_name()), static_cast<Verdict>(from->verdict()), {}, from->more()};
  for (wire::Difference& difference : *from->mutable_differences()) {
    if (difference.kind() > static_cast<std::uint32_t>(kLastDiffers))
      return Error{"message has a difference of unknown kind " + std::to_string(difference.kind())};
    to.differences.push_back({static_cast<Differs>(difference.kind()), std::move(*difference.mutable_name()),
                              std::move(*difference.mutable_now()), std::move(*difference.mutable_was())});
  }
  for (wire::Tie& tie : *from->mutable_ties()) {
    if (tie.by() > static_cast<std::uint32_t>(kLastTiedBy))
      return Error{"message has a tie of unknown kind " + std::to_string(tie.by())};
    to.ties.push_back(
        {static_cast<TiedBy>(tie.by()), std::move(*tie.mutable_name()), std::move(*tie.mutable_other()), tie.more()});
  }
  return to;
}

Result<Message> take(wire::Explanation* from) {
  Explanation to{std::move(*from->mutable_reason()), std::move(*from->mutable_detail()), from->compared(), {}, {}};
  Result<ExplainedStep> request = take(from->mutable_request());
  if (!request) return request.error();
  to.request = std::move(*request);
  for (wire::ExplainedStep& step : *from->mutable_steps()) {
    Result<ExplainedStep> taken = take(&step);
    if (!taken) return taken.error();
    to.steps.push_back(std::move(*taken));
  }
  return Message(std::move(to));
}

Result<Message> take(wire::Envelope& envelope) {
  switch (envelope.message_case()) {
    case wire::Envelope::kCompileRequest:
      return take(envelope.mutable_compile_request());
    case wire::Envelope::kControlRequest:
      return take(envelope.mutable_control_request());
    case wire::Envelope::kStepDone:
      return take(envelope.mutable_step_done());
    case wire::Envelope::kPassThrough:
      return Message(PassThrough{std::move(*envelope.mutable_pass_through()->mutable_reason()),
                                 std::move(*envelope.mutable_pass_through()->mutable_wrapper_library())});
    case wire::Envelope::kRunStep:
      return take(envelope.mutable_run_step());
    case wire::Envelope::kFinish:
      return take(envelope.mutable_finish());
    case wire::Envelope::kPlanReport:
      return take(envelope.mutable_plan_report());
    case wire::Envelope::kControlReply:
      return take(envelope.mutable_control_reply());
    case wire::Envelope::kVersionMismatch:
      return Message(VersionMismatch{std::move(*envelope.mutable_version_mismatch()->mutable_daemon_build())});
    case wire::Envelope::kBusy:
      return Message(Busy{std::move(*envelope.mutable_busy()->mutable_reason())});
    case wire::Envelope::kKeepWaiting:
      return Message(KeepWaiting{});
    case wire::Envelope::kExplanation:
      return take(envelope.mutable_explanation());
    case wire::Envelope::MESSAGE_NOT_SET:
      break;
  }
  return Error{"message is empty or of an unknown kind"};
}

}  // namespace

std::string encode(const Message& message) {
  wire::Envelope envelope;
  std::visit([&](const auto& alternative) { put(alternative, envelope); }, message);
  return envelope.SerializeAsString();
}

Result<Message> decode(const std::string& bytes) {
  wire::Envelope envelope;
  if (!envelope.ParseFromString(bytes))
    return Error{"message of " + std::to_string(bytes.size()) + " bytes is garbage"};
  return take(envelope);
}

std::string build_id() { return HIPCACHE_BUILD; }

}  // namespace hipcache::protocol
