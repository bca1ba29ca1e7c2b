#include "remote/execution/engine.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <utility>

#include "hipcache/base/text.h"
#include "remote/execution/outputs.h"
#include "remote/execution/upload.h"

namespace hipcache::remote {
namespace {

using namespace std::chrono_literals;
using protocol::ExecuteOutcome;
using std::chrono::milliseconds;

constexpr auto kAnswer = 2s;  // at least: an engine that takes a large input is slower than a cache
constexpr auto kStall = 5s;
constexpr auto kTotal = 10s;
constexpr std::uint64_t kSlowest = 1u << 10;  // bytes in a millisecond
constexpr auto kLongestExecution = 24h;
constexpr std::size_t kLongestWorker = 256;
constexpr std::int64_t kMicrosecondsInASecond = 1'000'000;
constexpr std::int64_t kNanosecondsInAMicrosecond = 1'000;

// Nothing less than none, and nothing beyond kLongestExecution, whatever the engine's clocks say. Not every engine says
// all of them: buildbox-casd has no queue.
std::uint64_t between(const wire::Moment& from, const wire::Moment& to) {
  if (from.seconds() == 0 || to.seconds() == 0) return 0;
  const std::int64_t longest = std::chrono::duration_cast<std::chrono::microseconds>(kLongestExecution).count();
  const std::int64_t most = longest / kMicrosecondsInASecond;
  const std::int64_t seconds = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(static_cast<std::uint64_t>(to.seconds()) - static_cast<std::uint64_t>(from.seconds())),
      -most, most);
  const std::int64_t nanos = std::int64_t{to.nanos()} - from.nanos();
  const std::int64_t between = seconds * kMicrosecondsInASecond + nanos / kNanosecondsInAMicrosecond;
  return static_cast<std::uint64_t>(std::clamp<std::int64_t>(between, 0, longest));
}

void take_metadata(const wire::ExecutedActionMetadata& said, protocol::RemoteExecuted& into) {
  into.worker = readable(std::string_view(said.worker()).substr(0, kLongestWorker));
  into.queue_us = between(said.queued_timestamp(), said.worker_start_timestamp());
  into.staging_us = between(said.worker_start_timestamp(), said.execution_start_timestamp());
  into.execution_us = between(said.execution_start_timestamp(), said.execution_completed_timestamp());
  into.upload_us = between(said.output_upload_start_timestamp(), said.output_upload_completed_timestamp());
}

// A fault that cost a step its whole limit.
bool was_slow(ExecuteOutcome outcome) {
  return outcome == ExecuteOutcome::expired || outcome == ExecuteOutcome::overdue;
}

std::uint64_t bytes_of(const PreparedAction& action) {
  std::uint64_t bytes = 0;
  for (const BlobName& name : action.names) bytes += name.size;
  return bytes;
}

}  // namespace

Engine::Engine(config::ExecuteUrl url) : url_(std::move(url)), connection_(url_.server), knowledge_(connection_) {}

protocol::RemoteExecuted Engine::execute(const protocol::RemoteExecute& asked, Cancellation& cancellation,
                                         const OnState& on_state) {
  protocol::RemoteExecuted answer{.id = asked.id};
  const auto say = [&answer](NotDone why) {
    answer.outcome = why.outcome;
    answer.detail = std::move(why.detail);
    return std::move(answer);
  };
  const Result<PreparedAction> action = prepare_action(asked, url_.properties, answer.hashed);
  if (!action) return say(our_fault(action.error().message));
  std::optional<NotDone> why = run(asked, *action, cancellation, on_state, answer);
  if (why && why->outcome == ExecuteOutcome::unavailable) knowledge_.forget();  // another server may answer next time
  if (why) return say(std::move(*why));
  answer.outcome = ExecuteOutcome::done;
  return answer;
}

std::optional<NotDone> Engine::run(const protocol::RemoteExecute& asked, const PreparedAction& action,
                                   Cancellation& cancellation, const OnState& on_state,
                                   protocol::RemoteExecuted& into) {
  const auto known = knowledge_.get(limits_for(0));
  if (const auto* failure = std::get_if<Failure>(&known)) return not_done(*failure);
  const auto& engine = std::get<Capabilities>(known);
  if (!engine.executes) return NotDone{.outcome = ExecuteOutcome::refused, .detail = "the server executes nothing"};
  auto ended = run_once(asked, action, engine, cancellation, on_state, into);
  if (const auto* why = std::get_if<NotDone>(&ended); why != nullptr && why->is_missing)
    ended = run_once(asked, action, engine, cancellation, on_state, into);
  if (auto* why = std::get_if<NotDone>(&ended)) return std::move(*why);
  const auto& result = std::get<wire::ActionResult>(ended);
  take_metadata(result.execution_metadata(), into);
  into.exit_code = result.exit_code();
  std::uint64_t bytes = 0;
  for (const auto& file : result.output_files())
    bytes +=
        std::min(static_cast<std::uint64_t>(std::max<std::int64_t>(file.digest().size_bytes(), 0)), kLargestOutput);
  return fetch_outputs(connection_, engine, asked, result, cancellation, limits_for(std::min(bytes, kLargestOutput)),
                       into);
}

std::variant<wire::ActionResult, NotDone> Engine::run_once(const protocol::RemoteExecute& asked,
                                                           const PreparedAction& action, const Capabilities& engine,
                                                           Cancellation& cancellation, const OnState& on_state,
                                                           protocol::RemoteExecuted& into) {
  const Limits limits = limits_for(bytes_of(action));
  if (auto why = upload(connection_, engine, asked, action, cancellation, limits, into.bytes_sent)) return *why;
  wire::ExecuteRequest request;
  request.set_instance_name(connection_.instance());
  request.set_skip_cache_lookup(true);
  set(*request.mutable_action_digest(), action.action_name);
  request.set_inline_stdout(true);
  request.set_inline_stderr(true);
  for (const std::string& output : asked.outputs) request.add_inline_output_files(output);
  const ExecutionLimits execution{
      .queue = std::min<milliseconds>(milliseconds(asked.queue_limit_ms), kLongestExecution),
      .execution = std::min<milliseconds>(milliseconds(asked.deadline_ms), kLongestExecution)};
  OperationRun operation(connection_, cancellation, limits, execution, on_state);
  auto ended = operation.run(request);
  if (auto* why = std::get_if<NotDone>(&ended)) {
    const std::string& name = operation.left_behind();
    if (!name.empty() && (was_slow(why->outcome) || why->outcome == ExecuteOutcome::cancelled))
      cancelling_.add([this, name] { cancel_operation(connection_, name, limits_for(0)); });
    return std::move(*why);
  }
  return std::move(*std::get<wire::ExecuteResponse>(ended).mutable_result());
}

protocol::RemoteEngineAnswer Engine::answer_to(const protocol::RemoteEngineQuestion& question) {
  protocol::RemoteEngineAnswer answer{.id = question.id};
  knowledge_.forget();
  const auto known = knowledge_.get(limits_for(0));
  if (const auto* failure = std::get_if<Failure>(&known)) {
    answer.detail = failure->message;
    return answer;
  }
  const auto& engine = std::get<Capabilities>(known);
  answer.ok = engine.executes;
  answer.detail = engine.executes ? "executes, with SHA-256" : "the server executes nothing, or not with SHA-256";
  answer.version = engine.version;
  return answer;
}

Limits Engine::limits_for(std::uint64_t bytes) const {
  return {.connect = url_.server.connect_timeout,
          .answer = std::max<milliseconds>(url_.server.timeout, kAnswer),
          .stall = kStall,
          .total = kTotal + milliseconds(bytes / kSlowest)};
}

}  // namespace hipcache::remote
