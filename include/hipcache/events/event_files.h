// Reads the event log of a daemon's directory, while the daemon may write to it.
#ifndef HIPCACHE_EVENTS_EVENT_FILES_H
#define HIPCACHE_EVENTS_EVENT_FILES_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/events/event.h"

namespace hipcache::events {

struct ReadEvents {
  std::vector<Event> events;  // in the order in which they were written
  std::uint64_t damaged = 0;  // lines that are no events of this version
};

// Both files, the older one first. A missing file is an empty one. A line that is damaged or cut
// short costs only itself. An error if a file cannot be read.
Result<ReadEvents> read_event_files(const std::string& directory);

// The same for the text of one file.
void read_events(std::string_view text, ReadEvents& into);

}  // namespace hipcache::events

#endif
