// Tells the event log when the store had to evict results, so that a report can say what a larger store would have
// kept.
#ifndef HIPCACHE_SRC_DAEMON_SERVER_EVICTION_EVENTS_H
#define HIPCACHE_SRC_DAEMON_SERVER_EVICTION_EVENTS_H

#include <cstdint>

#include "hipcache/events/event_log.h"
#include "hipcache/store/local_store.h"

namespace hipcache::daemon {

// Used by one thread.
class EvictionEvents {
 public:
  // `max_size`: the store's limit in bytes. All references outlive this object.
  EvictionEvents(const store::LocalStore& store, std::uint64_t max_size, events::EventLog& events)
      : store_(store), max_size_(max_size), events_(events) {}

  // Adds a line if something was evicted since the last call.
  void note();

 private:
  const store::LocalStore& store_;
  const std::uint64_t max_size_;
  events::EventLog& events_;
  store::Evicted noted_;
};

}  // namespace hipcache::daemon

#endif
