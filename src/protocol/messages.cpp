#include "hipcache/protocol/messages.h"

#include <optional>
#include <utility>

#include "protocol/wire.h"

namespace hipcache::protocol {

// The fields of each kind of message (wire.h). Numbers are never reused. src/launcher/wire.h has those of
// CompileRequest, PassThrough and Finish in C. Daemons and clients of other versions exchange ControlRequest,
// ControlReply and VersionMismatch, and the first field of CompileRequest.

void fields(auto& archive, Of<MountView> auto& view) {
  archive(1, view.mount_namespace);
  archive(2, view.root_device);
  archive(3, view.root_inode);
}

void fields(auto& archive, Of<CompileRequest> auto& request) {
  archive(1, request.build);
  archive(2, request.argv);
  archive(3, request.environment);
  archive(4, request.working_directory);
  archive(5, request.mount_view);
  archive(6, request.umask);
  // 7 had another meaning.
  archive(8, request.plan_only);
  archive(9, request.explain);
  archive(10, request.streams);
  archive(11, request.pwd_leads_here);
  archive(12, request.headers_only);
}

void fields(auto& archive, Of<ControlRequest> auto& request) {
  archive(1, request.build);
  archive(2, request.kind, ControlKind::import_results, "message is a control request of unknown kind ");
}

void fields(auto& archive, Of<StepDone> auto& done) {
  archive(1, done.step);
  archive(2, done.exit_code);
  archive(3, done.failed_command);
  archive(4, done.started_ns);
  archive(5, done.duration_us);
  archive(6, done.spawn_error);
  archive(7, done.processor_us);
  archive(8, done.stdout_text);
  archive(9, done.stderr_text);
  archive(10, done.doubt);
  archive(11, done.mixed);
  archive(12, done.peak_bytes);
}

void fields(auto& archive, Of<PassThrough> auto& message) {
  archive(1, message.reason);
  archive(2, message.wrapper_library);
}

void fields(auto& archive, Of<Command> auto& command) {
  archive(1, command.program);
  archive(2, command.argv);
}

void fields(auto& archive, Of<RunStep> auto& step) {
  archive(1, step.step);
  archive(2, step.directory);
  archive(3, step.commands);
  archive(4, step.trace_path);
  // 5 and 6 were the paths of the files that commands printed to.
  archive(7, step.trace_library);
}

void fields(auto& archive, Of<PlacedOutput> auto& output) {
  archive(1, output.path);
  archive(2, output.in_place);
  archive(3, output.executable);
  archive(4, output.content);
  archive(5, output.in_place_if_empty);
}

void fields(auto& archive, Of<Finish> auto& finish) {
  archive(1, finish.exit_code);
  archive(2, finish.stdout_text);
  archive(3, finish.stderr_text);
  archive(4, finish.outputs);
  archive(5, finish.removed);
  archive(6, finish.wants_headers);
}

void fields(auto& archive, Of<PlanStep> auto& step) {
  archive(1, step.name);
  archive(2, step.key);
  archive(3, step.stored);
  archive(4, step.inputs);
  archive(5, step.is_sent);
  archive(6, step.not_sent);
}

void fields(auto& archive, Of<PlanReport> auto& report) {
  archive(1, report.reason);
  archive(2, report.cuid);
  archive(3, report.request_key);
  archive(4, report.request_stored);
  archive(5, report.steps);
  archive(6, report.detail);
  archive(7, report.not_sent);
  archive(8, report.at_once);
}

void fields(auto& archive, Of<ControlReply> auto& reply) {
  archive(1, reply.error);
  archive(2, reply.text);
}

void fields(auto& archive, Of<VersionMismatch> auto& mismatch) { archive(1, mismatch.daemon_build); }

void fields(auto& archive, Of<Busy> auto& busy) { archive(1, busy.reason); }

void fields(auto& /*archive*/, Of<KeepWaiting> auto& /*message*/) {}

void fields(auto& archive, Of<StopStep> auto& message) { archive(1, message.step); }

void fields(auto& archive, Of<Difference> auto& difference) {
  archive(1, difference.kind, kLastDiffers, "message has a difference of unknown kind ");
  archive(2, difference.name);
  archive(3, difference.now);
  archive(4, difference.was);
}

void fields(auto& archive, Of<Tie> auto& tie) {
  archive(1, tie.by, kLastTiedBy, "message has a tie of unknown kind ");
  archive(2, tie.name);
  archive(3, tie.other);
  archive(4, tie.more);
}

void fields(auto& archive, Of<ExplainedStep> auto& step) {
  archive(1, step.name);
  archive(2, step.verdict, Verdict::bundles, "message has an unknown verdict, ");
  archive(3, step.differences);
  archive(4, step.more);
  archive(5, step.ties);
}

void fields(auto& archive, Of<Explanation> auto& explanation) {
  archive(1, explanation.reason);
  archive(2, explanation.detail);
  archive(3, explanation.compared);
  archive(4, explanation.request);
  archive(5, explanation.steps);
}

std::string encode(const Message& message) {
  WireWriter writer;
  writer.one_of(message);
  return std::move(writer).bytes();
}

Result<Message> decode(const std::string& bytes) {
  WireReader reader(bytes);
  std::optional<Message> message;
  reader.one_of(message);
  if (reader.is_damaged()) return Error{"message of " + std::to_string(bytes.size()) + " bytes is garbage"};
  if (!reader.unknown().empty()) return Error{reader.unknown()};
  if (!message) return Error{"message is empty or of an unknown kind"};
  return std::move(*message);
}

std::string build_id() { return HIPCACHE_BUILD; }

}  // namespace hipcache::protocol
