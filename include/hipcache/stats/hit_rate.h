// How much of what was looked up came from the cache: the one number by which CI judges a build. It counts steps that
// make something, of requests that did not fail. docs/statistics.md#hit-rate says why, and what was rejected.
#ifndef HIPCACHE_STATS_HIT_RATE_H
#define HIPCACHE_STATS_HIT_RATE_H

#include <cstdint>
#include <string>
#include <string_view>

#include "hipcache/base/result.h"
#include "hipcache/stats/counters.h"

namespace hipcache::stats {

struct HitRate {
  std::uint64_t hits = 0, look_ups = 0;        // steps
  std::uint64_t whole_hits = 0, requests = 0;  // requests; a hit ran no step

  // Of the steps, from 0 to 100; 0 if nothing was looked up.
  double percent() const;

  // "3 of 4 steps, 0 of 1 requests as a whole".
  std::string counts() const;
};

// Of rated steps, and of the requests that were hits or misses: a failed compile is counted as a miss, too.
HitRate hit_rate_of(const HitRun& rated, std::uint64_t hits, std::uint64_t misses, std::uint64_t failed);

// Since the statistics were zeroed.
HitRate hit_rate_of(const Snapshot& counts);

// An error, for people, if the rate in the statistics' JSON is below `percent`, or if nothing was
// looked up: then the build did not use hipcache at all, which is what a limit is to find.
Status check_hit_rate(std::string_view json, double percent);

// The same for a rate that was counted otherwise. `when`: since when, as in "since the statistics were zeroed".
Status check_hit_rate(const HitRate& rate, double percent, std::string_view when);

}  // namespace hipcache::stats

#endif
