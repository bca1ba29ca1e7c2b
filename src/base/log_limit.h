// Limits how often a log writes a line. A line that repeats is written once per kWindow, with the
// number of times that it was left out. All lines together are limited to kLinesInAWindow.
//
// Not thread-safe. The caller passes the time, so that tests can choose it.
#ifndef HIPCACHE_SRC_BASE_LOG_LIMIT_H
#define HIPCACHE_SRC_BASE_LOG_LIMIT_H

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hipcache {

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

}  // namespace hipcache

#endif
