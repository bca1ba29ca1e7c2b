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
  counts.rated = {.hit = 360, .run = 40};
  return counts;
}

std::string json_of(const Snapshot& counts) { return counts.to_json(0, 0, 0, 0); }

TEST(HitRate, IsThatOfStepsWithTheRequestsThatDidNotFailBesideIt) {
  const HitRate rate = hit_rate_of(some_counts());
  EXPECT_EQ(rate.hits, 360u);
  EXPECT_EQ(rate.look_ups, 400u);
  EXPECT_EQ(rate.whole_hits, 90u);
  EXPECT_EQ(rate.requests, 100u);
  EXPECT_DOUBLE_EQ(rate.percent(), 90.0);
}

TEST(HitRate, OfOneArchitectureMoreIsTheShareOfStepsThatWereFound) {
  Snapshot counts;
  counts.compile_requests = counts.partial = 1;
  counts.rated = {.hit = 3, .run = 1};
  EXPECT_TRUE(check_hit_rate(json_of(counts), 75));
  EXPECT_EQ(hit_rate_of(counts).counts(), "3 of 4 steps, 0 of 1 requests as a whole");
}

// Its statistics have failed compiles among the steps, and no time of processors.
TEST(HitRate, OfAnEarlierVersionsStatisticsIsThatOfTheirSteps) {
  const auto earlier = Snapshot::from_json(R"({"steps": {"device": {"gfx906": {"hit": 2, "run": 1}},
    "host": {"hit": 1, "run": 0}, "bundle": {"hit": 9, "run": 9}, "front": {"hit": 0, "run": 9}},
    "time_saved_ms": 5})");
  ASSERT_TRUE(earlier);
  EXPECT_DOUBLE_EQ(hit_rate_of(*earlier).percent(), 75);
  EXPECT_EQ(earlier->processor_saved_us, 5000u);
}

TEST(HitRate, IsGoodEnoughAtTheLimitAndNotBelow) {
  EXPECT_TRUE(check_hit_rate(json_of(some_counts()), 90));
  EXPECT_TRUE(check_hit_rate(json_of(some_counts()), 0));
  const Status below = check_hit_rate(json_of(some_counts()), 90.5);
  ASSERT_FALSE(below);
  EXPECT_EQ(
      below.error().message,
      "the hit rate is 90.0 %, less than 90.5 %: 360 of 400 steps, 90 of 100 requests as a whole came from the cache");
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
  EXPECT_EQ(hit_rate_of(counts).requests, 2u);
}

TEST(HitRate, OfTextThatIsNoStatisticsIsAnError) { EXPECT_FALSE(check_hit_rate("hello", 1)); }

}  // namespace
}  // namespace hipcache::stats
