#include "daemon/server/eviction_events.h"

#include "hipcache/events/event.h"

namespace hipcache::daemon {

void EvictionEvents::note() {
  const store::Evicted now = store_.evicted();
  if (now.values == noted_.values) return;
  events_.add(events::to_line(events::EvictionEvent{.time_us = events::now_us(),
                                                    .values = now.values - noted_.values,
                                                    .bytes = now.bytes - noted_.bytes,
                                                    .max_size = max_size_}));
  noted_ = now;
}

}  // namespace hipcache::daemon
