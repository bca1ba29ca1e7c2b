// Statistics that outlive the daemon, kept as a note in the store. They are written after changes and at the end. A
// daemon that is killed loses the counts since the last write (about a second).
#ifndef HIPCACHE_SRC_DAEMON_SERVER_PERSISTENT_COUNTERS_H
#define HIPCACHE_SRC_DAEMON_SERVER_PERSISTENT_COUNTERS_H

#include "hipcache/base/log.h"
#include "hipcache/stats/counters.h"
#include "hipcache/store/local_store.h"

namespace hipcache::daemon {

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

}  // namespace hipcache::daemon

#endif
