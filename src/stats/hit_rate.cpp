#include "hipcache/stats/hit_rate.h"

#include <fmt/format.h>

#include <algorithm>

namespace hipcache::stats {

double HitRate::percent() const {
  return look_ups == 0 ? 0.0 : 100.0 * static_cast<double>(hits) / static_cast<double>(look_ups);
}

std::string HitRate::counts() const {
  return fmt::format("{} of {} steps, {} of {} requests as a whole", hits, look_ups, whole_hits, requests);
}

HitRate hit_rate_of(const HitRun& rated, std::uint64_t hits, std::uint64_t misses, std::uint64_t failed) {
  return {.hits = rated.hit,
          .look_ups = rated.hit + rated.run,
          .whole_hits = hits,
          .requests = hits + misses - std::min(misses, failed)};
}

HitRate hit_rate_of(const Snapshot& counts) {
  return hit_rate_of(counts.rated, counts.hit, counts.partial + counts.miss, counts.failed_compiles);
}

Status check_hit_rate(std::string_view json, double percent) {
  const Result<Snapshot> counts = Snapshot::from_json(json);
  if (!counts) return counts.error();
  return check_hit_rate(hit_rate_of(*counts), percent, "since the statistics were zeroed");
}

Status check_hit_rate(const HitRate& rate, double percent, std::string_view when) {
  if (rate.look_ups == 0) return Error{fmt::format("nothing was looked up {}; does the build use hipcache?", when)};
  if (rate.percent() >= percent) return done();
  return Error{fmt::format("the hit rate is {:.1f} %, less than {:g} %: {} came from the cache", rate.percent(),
                           percent, rate.counts())};
}

}  // namespace hipcache::stats
