// How often a log takes a line. One that comes again and again is written once in a while, with the number of times
// that it was left out; and all lines together are bounded, however they differ.
//
// Not thread-safe. Times are given, for tests.
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

  // What to write for the line: nothing, the line, or with it what was left out since.
  std::vector<std::string> admit(std::string_view line, Time now);

  // What has to be said of lines that were left out and did not come again.
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
  std::uint64_t left_out_ = 0;  // of lines that are not remembered
};

}  // namespace hipcache

#endif
