// hipcache --flush: waits until all results are written to the shared caches.
#ifndef HIPCACHE_SRC_CLI_FLUSH_H
#define HIPCACHE_SRC_CLI_FLUSH_H

#include <chrono>
#include <cstdint>
#include <string>

#include "cli/control/control.h"
#include "hipcache/base/result.h"

namespace hipcache::cli {

// Whether writes to shared caches go on, for those who wait for them.
//
// A written result is progress, and so are kProgress bytes that went out: a large object on a slow line takes minutes.
// A result that failed is none, nor is a server that takes a byte now and then.
class Standstill {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::uint64_t kProgress = 256u << 10;

  explicit Standstill(Clock::time_point now) : since_(now) {}

  // Takes the totals of now. How long there has been no progress.
  Clock::duration note(std::uint64_t written, std::uint64_t bytes_sent, Clock::time_point now) {
    const bool is_first = !is_known_;
    // Fewer than before: hipcache-remote was started anew, and counts from nothing.
    if (bytes_sent < bytes_sent_) bytes_sent_ = bytes_sent;
    if (is_first || written != written_ || bytes_sent - bytes_sent_ >= kProgress) {
      if (!is_first) since_ = now;
      is_known_ = true;
      written_ = written;
      bytes_sent_ = bytes_sent;
    }
    return now - since_;
  }

 private:
  Clock::time_point since_;
  bool is_known_ = false;
  std::uint64_t written_ = 0;
  std::uint64_t bytes_sent_ = 0;
};

// The text for the user. An error that says what was not written, if something could not be or still waits at the
// limit. Standard error shows what is waited for: all the time on a terminal, else in one line once it takes long.
Result<std::string> flush(const Control& control);

}  // namespace hipcache::cli

#endif
