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

#include <cstdint>
#include <functional>
#include <mutex>

#include "hipcache/config/execute_url.h"
#include "hipcache/protocol/remote_messages.h"
#include "remote/layout/backend.h"
#include "remote/reapi/capabilities.h"
#include "remote/reapi/rpc.h"
#include "remote/tiers/work_pool.h"

namespace hipcache::remote {

// Ends an execution from another thread: at once if it waits for an operation, else before its next call.
//
// Thread-safe; outlives the streams that it knows.
class Cancellation {
 public:
  // While it lives, cancel() ends the stream's wait.
  class Guard {
   public:
    Guard(Cancellation& cancellation, Stream& stream) : cancellation_(cancellation) { cancellation_.watch(&stream); }
    ~Guard() { cancellation_.watch(nullptr); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    Cancellation& cancellation_;
  };

  void cancel() {
    const std::lock_guard lock(mutex_);
    is_cancelled_ = true;
    if (stream_ != nullptr) stream_->cancel();
  }

  bool is_cancelled() const {
    const std::lock_guard lock(mutex_);
    return is_cancelled_;
  }

 private:
  void watch(Stream* stream) {
    const std::lock_guard lock(mutex_);
    stream_ = stream;
    if (is_cancelled_ && stream_ != nullptr) stream_->cancel();
  }

  mutable std::mutex mutex_;  // guards all below
  bool is_cancelled_ = false;
  Stream* stream_ = nullptr;
};

using OnState = std::function<void(protocol::ExecuteState)>;

class Engine {
 public:
  // Touches nothing.
  explicit Engine(config::ExecuteUrl url);

  // `on_state` is called in this thread.
  protocol::RemoteExecuted execute(const protocol::RemoteExecute& asked, Cancellation& cancellation,
                                   const OnState& on_state);

  protocol::RemoteEngineAnswer answer_to(const protocol::RemoteEngineQuestion& question);

 private:
  class Run;

  Limits limits_for(std::uint64_t bytes) const;

  const config::ExecuteUrl url_;
  Connection connection_;
  ServerKnowledge knowledge_;
  WorkPool cancelling_{2, 1'000};  // declared last: its work uses the others
};

}  // namespace hipcache::remote

#endif
