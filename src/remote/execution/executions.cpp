#include "remote/execution/executions.h"

#include <utility>

#include "hipcache/config/execute_url.h"

namespace hipcache::remote {

using protocol::ExecuteOutcome;

Executions::Executions(const std::string& url, Send send) : send_(std::move(send)) {
  why_none_ = "no engine is set";
  if (url.empty()) return;
  Result<config::ExecuteUrl> parsed = config::parse_execute_url(url);
  if (!parsed) {
    why_none_ = parsed.error().message;
    return;
  }
  engine_ = std::make_unique<Engine>(std::move(*parsed));
}

void Executions::start(protocol::RemoteExecute asked) {
  const auto refuse = [&](const std::string& why) {
    send_(protocol::RemoteExecuted{.id = asked.id, .outcome = ExecuteOutcome::unavailable, .detail = why});
  };
  if (!engine_) return refuse(why_none_);
  const auto cancellation = std::make_shared<Cancellation>();
  {
    const std::lock_guard lock(mutex_);
    running_.insert_or_assign(asked.id, cancellation);
  }
  const auto shared = std::make_shared<const protocol::RemoteExecute>(std::move(asked));
  if (workers_.add([this, shared, cancellation] { run(*shared, *cancellation); })) return;
  {
    const std::lock_guard lock(mutex_);
    running_.erase(shared->id);
  }
  send_(protocol::RemoteExecuted{
      .id = shared->id, .outcome = ExecuteOutcome::unavailable, .detail = "too many executions wait"});
}

void Executions::run(const protocol::RemoteExecute& asked, Cancellation& cancellation) {
  protocol::RemoteExecuted executed{.id = asked.id, .outcome = ExecuteOutcome::cancelled, .detail = "cancelled"};
  if (!cancellation.is_cancelled())
    executed = engine_->execute(asked, cancellation, [&](protocol::ExecuteState state) {
      send_(protocol::RemoteExecuteEvent{.id = asked.id, .state = state});
    });
  {
    const std::lock_guard lock(mutex_);
    running_.erase(asked.id);
  }
  send_(executed);
}

void Executions::cancel(const protocol::RemoteCancel& cancel) {
  const std::lock_guard lock(mutex_);
  if (const auto found = running_.find(cancel.id); found != running_.end()) found->second->cancel();
}

void Executions::ask(const protocol::RemoteEngineQuestion& question) {
  if (!engine_) return send_(protocol::RemoteEngineAnswer{.id = question.id, .detail = why_none_});
  if (!workers_.add([this, question] { send_(engine_->answer_to(question)); }))
    send_(protocol::RemoteEngineAnswer{.id = question.id, .detail = "too many executions wait"});
}

}  // namespace hipcache::remote
