// Serves control requests: statistics, clearing, cleaning up, stopping. Thread-safe.
#ifndef HIPCACHE_SRC_DAEMON_SERVER_CONTROL_SERVICE_H
#define HIPCACHE_SRC_DAEMON_SERVER_CONTROL_SERVICE_H

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "daemon/remote/remote_cache.h"
#include "daemon/shared/pending_writes.h"
#include "daemon/shared/running_steps.h"
#include "daemon/shared/token_hits.h"
#include "hipcache/base/log.h"
#include "hipcache/events/event_log.h"
#include "hipcache/protocol/messages.h"
#include "hipcache/stats/counters.h"
#include "hipcache/store/local_store.h"

namespace hipcache::daemon {

// Statistics that outlive the daemon, kept as a note in the store. They are written after changes and at the end. A
// daemon that is killed loses the counts since the last write (about a second).

class PersistentCounters {
 public:
  // Restores the counters from the store.
  PersistentCounters(stats::Counters& counters, store::LocalStore& store, Log& log);

  void save_if_changed();

 private:
  stats::Counters& counters_;
  store::LocalStore& store_;
  Log& log_;
};

class ControlService {
 public:
  // `remote`: null if there are no shared caches. `directory`: of the cache, for people. `stop` makes the server accept
  // no more connections and end after the running sessions.
  ControlService(store::LocalStore& store, RemoteCache* remote, PendingWrites& pending_writes,
                 const RunningSteps& running_steps, events::EventLog& events, stats::Counters& counters,
                 const TokenHits& token_hits, PersistentCounters& persistent, std::uint64_t max_bytes,
                 std::string directory, std::function<void()> stop)
      : store_(store),
        remote_(remote),
        pending_(pending_writes),
        running_(running_steps),
        events_(events),
        counters_(counters),
        token_hits_(token_hits),
        persistent_(persistent),
        max_bytes_(max_bytes),
        directory_(std::move(directory)),
        stop_(std::move(stop)) {}

  protocol::ControlReply serve(protocol::ControlKind kind);

 private:
  protocol::ControlReply statistics();
  protocol::ControlReply zero();
  protocol::ControlReply clear();
  protocol::ControlReply clean_up();
  protocol::ControlReply flush();
  void add_servers(nlohmann::json& json);
  stats::Remote remote_statistics(bool zero);

  store::LocalStore& store_;
  RemoteCache* remote_;
  PendingWrites& pending_;
  const RunningSteps& running_;
  events::EventLog& events_;
  stats::Counters& counters_;
  const TokenHits& token_hits_;
  PersistentCounters& persistent_;
  const std::uint64_t max_bytes_;
  const std::string directory_;
  const std::function<void()> stop_;
};

}  // namespace hipcache::daemon

#endif
