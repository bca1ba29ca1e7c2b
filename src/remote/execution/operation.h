// One execution on an engine: the stream of its operation, from queued to done, within limits.
//
// An engine may be silent for as long as it likes, so no call has a limit here but the execution has: so long in a
// queue, so long from the moment that a worker took it. A stream that breaks is taken up again by WaitExecution, a few
// times. Used by one thread; `cancellation` ends a wait from another one.
#ifndef HIPCACHE_SRC_REMOTE_EXECUTION_OPERATION_H
#define HIPCACHE_SRC_REMOTE_EXECUTION_OPERATION_H

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "hipcache/protocol/remote_messages.h"
#include "remote/execution/cancellation.h"
#include "remote/execution/outcome.h"
#include "remote/reapi/methods.h"
#include "remote/reapi/rpc/calls.h"

namespace hipcache::remote {

struct ExecutionLimits {
  std::chrono::milliseconds queue{2'000};
  std::chrono::milliseconds execution{5'000};  // with staging and the upload of outputs
};

using OnState = std::function<void(protocol::ExecuteState)>;

class OperationRun {
 public:
  // All outlive the run. `call`: the limits of connecting and of sending a request.
  OperationRun(Connection& connection, Cancellation& cancellation, const Limits& call, const ExecutionLimits& limits,
               const OnState& on_state);

  // Once.
  std::variant<wire::ExecuteResponse, NotDone> run(const wire::ExecuteRequest& request);

  // What the engine calls an execution that may still run there. Empty if there is none.
  const std::string& left_behind() const { return name_; }

 private:
  using Clock = std::chrono::steady_clock;
  using Ended = std::variant<wire::ExecuteResponse, NotDone>;

  // How the stream ended: with the operation's own end, or with a fault of ours. Nothing if it broke as `end` says.
  std::optional<Ended> follow(const char* method, const std::string& request, RpcEnd& end);
  std::optional<Ended> take(const google::longrunning::Operation& operation);
  void take_state(const google::longrunning::Operation& operation);
  std::optional<NotDone> out_of_limits() const;
  std::chrono::milliseconds left() const;

  Connection& connection_;
  Cancellation& cancellation_;
  const ExecutionLimits limits_;
  const OnState& on_state_;
  Limits call_;
  std::string name_;
  protocol::ExecuteState state_ = protocol::ExecuteState::queued;
  bool is_told_ = false;                          // that state
  Clock::time_point until_;                       // of the present state
  std::optional<Clock::time_point> executed_by_;  // since a worker took it
};

// Tells the engine that nobody waits for the execution any more. Says nothing of whether the engine cares.
void cancel_operation(Connection& connection, const std::string& name, const Limits& limits);

}  // namespace hipcache::remote

#endif
