// What happened to one request or step, as one line of JSON (docs/internals/formats.md#event-log).
//
// Problem: counters tell how much was hit, not which compile was slow, when, and why.
// Choice: a line for each request and each step, joined by the request's id. A request that was
// served as a whole has one line, which names the steps: a hit then writes once.
// Rejected: a database (nothing is looked up, all of it is read in order); a binary form (people and
// scripts read the file); one line for a request with its steps within (a line of an unknown length).
//
// No value of a variable and no value of a macro is in an event: the log may become part of a
// published report.
#ifndef HIPCACHE_EVENTS_EVENT_H
#define HIPCACHE_EVENTS_EVENT_H

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "hipcache/base/result.h"

namespace hipcache::events {

// Times are in microseconds: `start_us` since 1970, by the clock of the system; durations by a clock
// that nobody sets.

// A request that has ended.
struct RequestEvent {
  static constexpr const char* kEvent = "request";  // in the line
  std::string id;                                   // unique in a cache directory
  std::uint64_t start_us = 0;
  std::uint64_t duration_us = 0;  // until the client had its answer
  std::string outcome;            // "hit", "partial", "miss", "passthrough", "aborted"
  std::string kind;               // "hip", "compile", "link", "archive"; empty: not understood
  std::string object;             // as in the command line; empty if it has none
  std::string source;             // the same
  std::string directory;          // of the client
  std::vector<std::string> archs;
  int exit_code = 0;
  std::uint64_t bytes = 0;  // of the outputs, if they are known
  // The time that the runs behind the stored results took: by the clock, and in processor time.
  std::uint64_t saved_us = 0, processor_saved_us = 0;
  std::vector<std::string> steps;  // of a request that was served as a whole
  std::string reason, detail;      // of a bypass
  bool operator==(const RequestEvent&) const = default;
};

// What came of a step that was given to an engine of remote execution (docs/execution.md). Bytes and times but
// `whole_us` are those that the engine says. All are 0 without an answer.
struct AtEngine {
  // "won": its result was taken. "lost": this machine was faster. "not-proved": its result says nothing about the files
  // here. "failed": there is no result. "audited": made here as well. Empty: the step was not given to an engine.
  std::string outcome;
  std::string reason, detail;  // of "not-proved" and "failed"; the detail is a path, or what the engine says
  std::string worker;          // if the engine names it
  std::uint64_t bytes_sent = 0, bytes_received = 0;
  std::uint64_t whole_us = 0;  // from the sending to the answer
  std::uint64_t queue_us = 0, staging_us = 0, execution_us = 0;
  bool operator==(const AtEngine&) const = default;
};

// A step that has ended: found ("hit"), run ("run"), or run without success ("failed").
struct StepEvent {
  static constexpr const char* kEvent = "step";
  std::string request;  // its id
  std::uint64_t start_us = 0;
  std::uint64_t duration_us = 0;
  std::string outcome;
  std::string kind;   // "probe", "device", "back-end", "bundle", "host", "compile", ...
  std::string label;  // "device gfx906"
  std::string arch;   // empty if it has none
  std::uint64_t bytes = 0;
  std::uint64_t saved_us = 0, processor_saved_us = 0;
  std::uint64_t header_saved_us = 0;  // processor time that a wrapper header spared its run; 0: it used none
  bool has_waited = false;            // for another client that was running it
  std::vector<std::string> why;       // it ran: the lines of --explain
  std::uint64_t more = 0;             // lines left out
  bool is_gone = false;               // it ran only because its result is not stored any more
  std::string not_stored;             // why the result of a run is not stored
  AtEngine engine;                    // if it was won, the outcome is "run", and nothing ran here
  bool operator==(const StepEvent&) const = default;
};

// Results were evicted since the last such line.
struct EvictionEvent {
  static constexpr const char* kEvent = "eviction";
  std::uint64_t time_us = 0;
  std::uint64_t values = 0;
  std::uint64_t bytes = 0;     // of these values, as stored
  std::uint64_t max_size = 0;  // the store's limit
  bool operator==(const EvictionEvent&) const = default;
};

// The statistics were set to zero.
struct ZeroEvent {
  static constexpr const char* kEvent = "zero";
  std::uint64_t time_us = 0;
  bool operator==(const ZeroEvent&) const = default;
};

using Event = std::variant<RequestEvent, StepEvent, EvictionEvent, ZeroEvent>;

// One line of JSON with its newline. Fields that are empty or zero are left out. Bytes that are not
// UTF-8 are replaced. Long texts and lists are cut (kMostText, kMostListed).
std::string to_line(const Event& event);

inline constexpr std::size_t kMostText = 4096;  // as long as a path may be
inline constexpr std::size_t kMostListed = 64;

// An error if the line is damaged, of another version, or of an unknown kind. Unknown fields are
// left out.
Result<Event> from_line(std::string_view line);

// The text without the values of macros that a command line defines: "-DTOKEN=..." for "-DTOKEN=x".
std::string without_macro_values(std::string_view text);

// The same for arguments of a command, of which the option itself may be missing: "TOKEN=..." for
// "TOKEN=x", because drivers write "-D" and "TOKEN=x".
std::string without_values(std::string_view arguments);

// Now, in microseconds since 1970.
std::uint64_t now_us();

}  // namespace hipcache::events

#endif
