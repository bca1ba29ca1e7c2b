// Statistics that outlive the daemon: kept as a note in the store, written when something was counted and at the end. A
// daemon that is killed loses what was counted since the last write (a second or so).
#ifndef HIPCACHE_DAEMON_PERSISTENT_COUNTERS_H
#define HIPCACHE_DAEMON_PERSISTENT_COUNTERS_H

#include "hipcache/base/log.h"
#include "hipcache/stats/counters.h"
#include "hipcache/store/store.h"

namespace hipcache::daemon {

class PersistentCounters {
 public:
  // Takes the counters up where they were left.
  PersistentCounters(stats::Counters& counters, store::Store& store, Log& log);

  void save_if_changed();

 private:
  stats::Counters& counters_;
  store::Store& store_;
  Log& log_;
};

}  // namespace hipcache::daemon

#endif
