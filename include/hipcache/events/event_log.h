// The event log of one daemon: events.jsonl, and events.old.jsonl before it.
//
// Problem: each request leaves a line, and no request may wait for a disk.
// Choice: add() puts lines into memory and returns. flush() writes them; the daemon calls it once a
// second in the thread that also saves the statistics, when somebody asks for a report, and at its
// end. Both the memory (kMostWaiting) and the files are bounded: when the newer file has half of the
// limit, it becomes the older one. A line that finds no room, or that cannot be written, is lost and
// counted; a warning in the daemon's log says so. A daemon that is killed loses the lines of the last
// second.
// Rejected: a thread of its own (one is there that writes behind the requests); writing each line at
// once (a system call for each hit, and a full disk in its way); files by date (no bound on bytes).
//
// Thread-safe. Only the process that holds the directory's lock has a log for it.
#ifndef HIPCACHE_EVENTS_EVENT_LOG_H
#define HIPCACHE_EVENTS_EVENT_LOG_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/log.h"
#include "hipcache/base/own_directory.h"
#include "hipcache/base/result.h"
#include "hipcache/events/event.h"

namespace hipcache::events {

inline constexpr const char* kNewerFile = "events.jsonl";
inline constexpr const char* kOlderFile = "events.old.jsonl";
inline constexpr std::size_t kMostWaiting = 4u << 20;  // bytes of lines in memory

// Lines since the log was made.
struct LogCounts {
  std::uint64_t written = 0;
  std::uint64_t dropped = 0;  // more came than memory holds, or longer than a file may be
  std::uint64_t failed = 0;   // could not be written
};

class EventLog {
 public:
  // `directory`: null if there is none; then nothing is kept. `limit`: bytes of both files together;
  // 0: nothing is kept, and what is there is removed. Both references outlive this object.
  EventLog(const OwnDirectory* directory, std::uint64_t limit, Log& log);
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  // Whether lines are kept: callers check this before they collect what an event needs.
  bool is_on() const { return limit_ > 0; }

  // An id for a request, which no other request of the cache directory has.
  std::string new_id();

  // Whole lines, each with its newline. Never waits for the disk.
  void add(std::string_view lines);

  // Writes what waits. Calls take turns.
  void flush();

  LogCounts counts() const;

 private:
  void write(std::string_view lines);
  Status append(std::string_view lines);
  Status rotate();

  const OwnDirectory* directory_;
  const std::uint64_t limit_;
  Log& log_;
  const std::string made_at_;  // the beginning of ids
  std::atomic<std::uint64_t> ids_ = 0;
  std::mutex writing_;        // one flush() at a time
  mutable std::mutex mutex_;  // guards all below
  std::string waiting_;
  LogCounts counts_;
};

struct ReadEvents {
  std::vector<Event> events;  // in the order in which they were written
  std::uint64_t damaged = 0;  // lines that are no events of this version
};

// Reads both files of a daemon's directory, the older one first, while the daemon may write to them. A missing file is
// an empty one. A line that is damaged or cut short costs only itself. An error if a file cannot be read.
Result<ReadEvents> read_event_files(const std::string& directory);

}  // namespace hipcache::events

#endif
