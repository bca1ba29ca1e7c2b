#include "hipcache/inputs/file_clock.h"

#include <time.h>

namespace hipcache::inputs {

Clock file_clock() {
  return [] {
    timespec now = {};
    ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
  };
}

}  // namespace hipcache::inputs
