// An engine of the Remote Execution API, as the daemon needs it: one action in, one answer out.
//
// Problem: an engine may be dead, slow, full, or lie, and each server says so in its own way. Choice: every way to have
// no result becomes one of a few outcomes, in bounded time, and the daemon runs the step itself. Rejected: retries
// here. The machine that asks can do the work itself, which no retry beats; only a blob that the engine lost meanwhile
// is sent again, once. Rejected: a circuit breaker here, as tiers have it. The daemon has one, which also knows which
// results were of use.
//
// Thread-safe: each execution has a thread, which waits for the engine.
#ifndef HIPCACHE_SRC_REMOTE_EXECUTION_ENGINE_H
#define HIPCACHE_SRC_REMOTE_EXECUTION_ENGINE_H

#include <optional>
#include <string>
#include <variant>

#include "hipcache/config/execute_url.h"
#include "hipcache/protocol/remote_messages.h"
#include "remote/execution/action.h"
#include "remote/execution/cancellation.h"
#include "remote/execution/operation.h"
#include "remote/execution/outcome.h"
#include "remote/reapi/action_cache.h"
#include "remote/tiers/tiers.h"

namespace hipcache::remote {

class Engine {
 public:
  // Touches nothing.
  explicit Engine(config::ExecuteUrl url);

  // `on_state` is called in this thread.
  protocol::RemoteExecuted execute(const protocol::RemoteExecute& asked, Cancellation& cancellation,
                                   const OnState& on_state);

  protocol::RemoteEngineAnswer answer_to(const protocol::RemoteEngineQuestion& question);

 private:
  // Nothing if it is done.
  std::optional<NotDone> run(const protocol::RemoteExecute& asked, const PreparedAction& action,
                             Cancellation& cancellation, const OnState& on_state, protocol::RemoteExecuted& into);
  std::variant<wire::ActionResult, NotDone> run_once(const protocol::RemoteExecute& asked, const PreparedAction& action,
                                                     const Capabilities& engine, Cancellation& cancellation,
                                                     const OnState& on_state, protocol::RemoteExecuted& into);
  Limits limits_for(std::uint64_t bytes) const;

  const config::ExecuteUrl url_;
  Connection connection_;
  ServerKnowledge knowledge_;
  WorkPool cancelling_{2, 1'000};  // declared last: its work uses the others
};

}  // namespace hipcache::remote

#endif
