// The log: one line per event, with time, process and level, appended to a file or to stderr.
//
// A log that cannot be written is dropped silently, because cache trouble never fails a build. A
// warning or error that repeats is written once in ten seconds, with the number of repetitions left
// out. All warnings and errors together are limited to a hundred in ten seconds. Thread-safe.
#ifndef HIPCACHE_BASE_LOG_H
#define HIPCACHE_BASE_LOG_H

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hipcache {

// Limits how often a log writes a line. A line that repeats is written once per kWindow, with the
// number of times that it was left out. All lines together are limited to kLinesInAWindow.
//
// Not thread-safe. The caller passes the time, so that tests can choose it.

class LogLimit {
 public:
  using Time = std::chrono::steady_clock::time_point;

  static constexpr std::chrono::seconds kWindow{10};
  static constexpr unsigned kLinesInAWindow = 100;
  static constexpr std::size_t kRemembered = 64;  // lines

  // What to write for the line: nothing, the line, or the line after a note about the lines left
  // out before it.
  std::vector<std::string> admit(std::string_view line, Time now);

  // Notes about lines that were left out and did not repeat afterwards.
  std::vector<std::string> rest();

 private:
  struct Seen {
    Time written;
    std::uint64_t left_out = 0;
  };

  void forget_oldest();

  std::map<std::string, Seen, std::less<>> seen_;
  Time window_{};
  unsigned lines_ = 0;          // in this window
  std::uint64_t left_out_ = 0;  // of lines that were not remembered
};

class Log {
 public:
  enum class Level { debug, info, warning, error };

  // Without a destination everything is dropped.
  Log();
  // Appends to the file at `path`; "stderr" means standard error. Rotated once past 16 MiB.
  explicit Log(const std::string& path, Level threshold = Level::info);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  void debug(std::string_view line) { write(Level::debug, line); }
  void info(std::string_view line) { write(Level::info, line); }
  void warning(std::string_view line) { write(Level::warning, line); }
  void error(std::string_view line) { write(Level::error, line); }
  void write(Level level, std::string_view line);

  // Whether a line of that level is written: callers check this before building a costly line.
  bool takes(Level level) const;

 private:
  struct Sink;
  std::unique_ptr<Sink> sink_;
};

}  // namespace hipcache

#endif
