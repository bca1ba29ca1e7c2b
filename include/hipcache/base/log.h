// The log: one line per event, with time, process and level, appended to a file or to stderr.
//
// A log that cannot be written is dropped silently, because cache trouble never fails a build. A
// warning or error that repeats is written once in ten seconds, with the number of repetitions left
// out. All warnings and errors together are limited to a hundred in ten seconds. Thread-safe.
#ifndef HIPCACHE_BASE_LOG_H
#define HIPCACHE_BASE_LOG_H

#include <memory>
#include <string>
#include <string_view>

namespace hipcache {

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
