#include "remote/execution/operation.h"

#include <algorithm>
#include <utility>

namespace hipcache::remote {
namespace {

using google::longrunning::Operation;
using protocol::ExecuteOutcome;
using protocol::ExecuteState;
using std::chrono::milliseconds;

constexpr const char* kExecute = "/build.bazel.remote.execution.v2.Execution/Execute";
constexpr const char* kWaitExecution = "/build.bazel.remote.execution.v2.Execution/WaitExecution";
constexpr const char* kCancelOperation = "/google.longrunning.Operations/CancelOperation";
// What stands before it in a type's URL is the server's choice.
constexpr std::string_view kMetadata = "/build.bazel.remote.execution.v2.ExecuteOperationMetadata";
constexpr std::string_view kResponse = "/build.bazel.remote.execution.v2.ExecuteResponse";
constexpr int kStreams = 3;  // the first one, and those that take up a broken one
constexpr std::size_t kLongestName = 4'096;

NotDone nonsense() { return {.detail = "the engine's answer cannot be read"}; }

// What an engine does not say counts as execution, whose limit holds then.
ExecuteState state_of(const Operation& operation) {
  wire::ExecuteOperationMetadata metadata;
  if (!operation.metadata().type_url().ends_with(kMetadata) || !metadata.ParseFromString(operation.metadata().value()))
    return ExecuteState::executing;
  const bool is_queued =
      metadata.stage() == wire::ExecutionStage::QUEUED || metadata.stage() == wire::ExecutionStage::CACHE_CHECK;
  return is_queued ? ExecuteState::queued : ExecuteState::executing;
}

// Whether the execution may go on although its stream has ended so.
bool may_go_on(const RpcEnd& end) {
  return is_ok(end) || end.code == RpcCode::unavailable || end.code == RpcCode::unknown ||
         end.code == RpcCode::internal || end.code == RpcCode::cancelled;
}

}  // namespace

OperationRun::OperationRun(Connection& connection, Cancellation& cancellation, const Limits& call,
                           const ExecutionLimits& limits, const OnState& on_state)
    : connection_(connection),
      cancellation_(cancellation),
      limits_(limits),
      on_state_(on_state),
      call_(call),
      until_(Clock::now() + limits.queue) {
  call_.total += limits.queue + limits.execution;  // gRPC's own limit, which is never reached
}

OperationRun::Ended OperationRun::run(const wire::ExecuteRequest& request) {
  RpcEnd end;
  for (int stream = 0; stream < kStreams; ++stream) {
    wire::WaitExecutionRequest wait;
    wait.set_name(name_);
    auto ended = stream == 0 ? follow(kExecute, request.SerializeAsString(), end)
                             : follow(kWaitExecution, wait.SerializeAsString(), end);
    if (ended) return std::move(*ended);
    if (auto why = out_of_limits()) return std::move(*why);
    if (name_.empty() || !may_go_on(end)) break;
  }
  if (is_ok(end)) return NotDone{.outcome = ExecuteOutcome::lost, .detail = "the engine did not end the operation"};
  return not_done(end);
}

std::optional<OperationRun::Ended> OperationRun::follow(const char* method, const std::string& request, RpcEnd& end) {
  auto opened = Stream::open(connection_, method, call_);
  if (auto* failure = std::get_if<Failure>(&opened)) return not_done(*failure);
  Stream& stream = *std::get<std::unique_ptr<Stream>>(opened);
  const Cancellation::Guard guard(cancellation_, stream);
  std::optional<Ended> ended;
  if (stream.send(request) && stream.close())
    while (!ended) {
      const std::optional<std::string> message = stream.receive(left());
      if (!message) break;
      Operation operation;
      ended = operation.ParseFromString(*message) ? take(operation) : nonsense();
    }
  if (ended) stream.cancel();
  end = stream.finish();
  return ended;
}

std::optional<OperationRun::Ended> OperationRun::take(const Operation& operation) {
  if (operation.name().size() <= kLongestName) name_ = operation.name();
  if (!operation.done()) {
    take_state(operation);
    return std::nullopt;
  }
  name_.clear();
  if (operation.has_error()) return not_done(operation.error());
  wire::ExecuteResponse response;
  if (!operation.response().type_url().ends_with(kResponse) || !response.ParseFromString(operation.response().value()))
    return nonsense();
  if (response.status().code() != 0) return not_done(response.status());
  return response;
}

// A worker that is lost may bring the execution back into the queue. The limit since the first worker stays. An
// execution that was never said to be queued may be, so it has the time of a queue as well.
void OperationRun::take_state(const Operation& operation) {
  const ExecuteState state = state_of(operation);
  const bool was_told = std::exchange(is_told_, true);
  if (state == state_) {
    if (!was_told) on_state_(state);
    return;
  }
  state_ = state;
  const Clock::time_point now = Clock::now();
  if (!executed_by_) executed_by_ = (was_told ? now : until_) + limits_.execution;
  until_ = state == ExecuteState::queued ? std::min(now + limits_.queue, *executed_by_) : *executed_by_;
  on_state_(state);
}

std::optional<NotDone> OperationRun::out_of_limits() const {
  if (cancellation_.is_cancelled()) return NotDone{.outcome = ExecuteOutcome::cancelled, .detail = "cancelled"};
  if (left() > milliseconds(0)) return std::nullopt;
  if (state_ == ExecuteState::queued)
    return NotDone{.outcome = ExecuteOutcome::expired, .detail = "no worker took the action in time"};
  return NotDone{.outcome = ExecuteOutcome::overdue, .detail = "the action took longer than its deadline"};
}

milliseconds OperationRun::left() const {
  return std::max(std::chrono::floor<milliseconds>(until_ - Clock::now()), milliseconds(0));
}

void cancel_operation(Connection& connection, const std::string& name, const Limits& limits) {
  UnaryCall<google::longrunning::CancelOperationRequest, google::longrunning::Empty> call(kCancelOperation);
  call.request.set_name(name);
  remote::run(call, connection, limits);
}

}  // namespace hipcache::remote
