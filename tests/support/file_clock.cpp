#include "support/file_clock.h"

#include <time.h>
#include <unistd.h>

#include <compare>

namespace hipcache::support {
namespace {

constexpr int kMostLooks = 20'000;
constexpr useconds_t kPause = 100;

struct Time {
  time_t seconds;
  long nanoseconds;
  auto operator<=>(const Time&) const = default;
};

Time read(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return {now.tv_sec, now.tv_nsec};
}

}  // namespace

// CLOCK_REALTIME is never behind a stamp, even if a file system takes finer stamps than the coarse clock's.
void await_next_tick() {
  const Time now = read(CLOCK_REALTIME);
  for (int look = 0; look < kMostLooks && read(CLOCK_REALTIME_COARSE) <= now; ++look) usleep(kPause);
}

}  // namespace hipcache::support
