// What hipcache --watch shows of the daemon's statistics.
#ifndef HIPCACHE_REPORT_LIVE_H
#define HIPCACHE_REPORT_LIVE_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hipcache/stats/counters.h"
#include "hipcache/stats/report.h"

namespace hipcache::report {

// The statistics at one moment. All counts since --zero-stats.
struct Moment {
  stats::Snapshot counts;
  stats::StoreSize store;
  std::chrono::steady_clock::time_point at;
};

// One line: time of day, hit rate, requests, running steps by architecture, store, shared caches.
// `before`: an earlier moment, for what happened since.
std::string live_line(const Moment& before, const Moment& now, std::uint64_t max_size);

// Lines of at most `width` columns, at most `height` of them, without control characters.
std::vector<std::string> live_screen(const Moment& before, const Moment& now, std::uint64_t max_size, std::size_t width,
                                     std::size_t height);

}  // namespace hipcache::report

#endif
