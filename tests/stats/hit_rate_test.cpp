#include "hipcache/stats/hit_rate.h"

#include <gmock/gmock.h>

#include "hipcache/stats/counters.h"

namespace hipcache::stats {
namespace {

using ::testing::HasSubstr;

Snapshot some_counts() {
  Snapshot counts;
  counts.compile_requests = 118;
  counts.hit = 90, counts.partial = 4, counts.miss = 9, counts.passthrough = 10, counts.aborted = 5;
  counts.failed_compiles = 3;
  return counts;
}

std::string json_of(const Snapshot& counts) { return counts.to_json(0, 0, 0, 0); }

TEST(HitRate, CountsWhatWasLookedUpAndDidNotFail) {
  const HitRate rate = hit_rate_of(some_counts());
  EXPECT_EQ(rate.hits, 90u);
  EXPECT_EQ(rate.look_ups, 100u);
  EXPECT_DOUBLE_EQ(rate.percent(), 90.0);
}

TEST(HitRate, IsGoodEnoughAtTheLimitAndNotBelow) {
  EXPECT_TRUE(check_hit_rate(json_of(some_counts()), 90));
  EXPECT_TRUE(check_hit_rate(json_of(some_counts()), 0));
  const Status below = check_hit_rate(json_of(some_counts()), 90.5);
  ASSERT_FALSE(below);
  EXPECT_EQ(below.error().message, "the hit rate is 90.0 %, less than 90.5 %: 90 of 100 requests were hits");
}

TEST(HitRate, OfNothingIsAnErrorAtAnyLimit) {
  Snapshot counts;
  counts.compile_requests = counts.passthrough = 3;
  const Status nothing = check_hit_rate(json_of(counts), 0);
  ASSERT_FALSE(nothing);
  EXPECT_THAT(nothing.error().message, HasSubstr("nothing was looked up"));
}

TEST(HitRate, OfMoreFailedCompilesThanMissesIsThatOfTheRest) {
  Snapshot counts;
  counts.hit = 2, counts.failed_compiles = 9;
  EXPECT_EQ(hit_rate_of(counts).look_ups, 2u);
}

TEST(HitRate, OfTextThatIsNoStatisticsIsAnError) { EXPECT_FALSE(check_hit_rate("hello", 1)); }

}  // namespace
}  // namespace hipcache::stats
