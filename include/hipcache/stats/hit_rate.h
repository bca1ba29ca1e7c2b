// How much of what was looked up came from the cache: the one number by which CI judges a build.
//
// Choice: whole requests. A request counts if hipcache looked it up and the compiler did not report
// an error: hits, partial hits and misses, without failed compiles. Only hits count as found, so a
// build that compiled one architecture of each source has the rate 0. The table of architectures
// says more (to_markdown() in report.h).
// Rejected: the rate of steps. It is high although every request still runs a compiler, and the
// small steps (probe, bundle) outweigh the others. Failed compiles in the rate: they are never
// stored, and the configure checks of CMake fail on purpose in each build.
#ifndef HIPCACHE_STATS_HIT_RATE_H
#define HIPCACHE_STATS_HIT_RATE_H

#include <cstdint>
#include <string>
#include <string_view>

#include "hipcache/base/result.h"

namespace hipcache::stats {

struct Snapshot;

struct HitRate {
  std::uint64_t hits = 0;
  std::uint64_t look_ups = 0;

  // From 0 to 100; 0 if nothing was looked up.
  double percent() const;
};

// Since the statistics were zeroed.
HitRate hit_rate_of(const Snapshot& counts);

// An error, for people, if the rate in the statistics' JSON is below `percent`, or if nothing was
// looked up: then the build did not use hipcache at all, which is what a limit is to find.
Status check_hit_rate(std::string_view json, double percent);

// The same for a rate that was counted otherwise. `when`: since when, as in "since the statistics were zeroed".
Status check_hit_rate(const HitRate& rate, double percent, std::string_view when);

}  // namespace hipcache::stats

#endif
