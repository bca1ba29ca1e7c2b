// The daemon's executions: each in a thread of its own, each answered once, each cancelled by its number.
//
// Thread-safe.
#ifndef HIPCACHE_SRC_REMOTE_EXECUTION_EXECUTIONS_H
#define HIPCACHE_SRC_REMOTE_EXECUTION_EXECUTIONS_H

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "hipcache/protocol/remote_messages.h"
#include "remote/execution/cancellation.h"
#include "remote/execution/engine.h"
#include "remote/tiers/tiers.h"

namespace hipcache::remote {

class Executions {
 public:
  static constexpr std::size_t kAtOnce = 256;
  static constexpr std::size_t kWaiting = 4'096;

  using Send = std::function<void(const protocol::RemoteMessage&)>;

  // `url`: empty if no engine is set. `send` is called by several threads.
  Executions(const std::string& url, Send send);

  void start(protocol::RemoteExecute asked);
  void cancel(const protocol::RemoteCancel& cancel);
  void ask(const protocol::RemoteEngineQuestion& question);

 private:
  void run(const protocol::RemoteExecute& asked, Cancellation& cancellation);

  const Send send_;
  std::unique_ptr<Engine> engine_;
  std::string why_none_;
  std::mutex mutex_;  // guards all below
  std::map<std::uint64_t, std::shared_ptr<Cancellation>> running_;
  WorkPool workers_{kAtOnce, kWaiting};  // declared last: its work uses the others
};

}  // namespace hipcache::remote

#endif
