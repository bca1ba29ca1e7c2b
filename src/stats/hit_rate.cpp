#include "hipcache/stats/hit_rate.h"

#include <fmt/format.h>

#include <algorithm>

#include "hipcache/stats/counters.h"

namespace hipcache::stats {

double HitRate::percent() const {
  return look_ups == 0 ? 0.0 : 100.0 * static_cast<double>(hits) / static_cast<double>(look_ups);
}

// A failed compile is counted as a miss, too.
HitRate hit_rate_of(const Snapshot& counts) {
  const std::uint64_t misses = counts.partial + counts.miss;
  return {counts.hit, counts.hit + misses - std::min(misses, counts.failed_compiles)};
}

Status check_hit_rate(std::string_view json, double percent) {
  const Result<Snapshot> counts = Snapshot::from_json(json);
  if (!counts) return counts.error();
  return check_hit_rate(hit_rate_of(*counts), percent, "since the statistics were zeroed");
}

Status check_hit_rate(const HitRate& rate, double percent, std::string_view when) {
  if (rate.look_ups == 0) return Error{fmt::format("nothing was looked up {}; does the build use hipcache?", when)};
  if (rate.percent() >= percent) return done();
  return Error{fmt::format("the hit rate is {:.1f} %, less than {:g} %: {} of {} requests were hits", rate.percent(),
                           percent, rate.hits, rate.look_ups)};
}

}  // namespace hipcache::stats
