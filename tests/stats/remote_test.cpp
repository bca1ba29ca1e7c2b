// Shared caches in the statistics: for programs and for people.
#include <gmock/gmock.h>

#include "hipcache/stats/counters.h"
#include "hipcache/stats/report.h"

namespace hipcache::stats {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Snapshot with_tier(std::uint64_t not_signed, std::uint64_t untrusted) {
  Snapshot counts;
  counts.remote.tiers = {{.url = "redis://cache.example",
                          .state = "ok",
                          .hits = 1,
                          .misses = 9,
                          .not_signed = not_signed,
                          .untrusted = untrusted}};
  return counts;
}

TEST(RemoteStatistics, OfResultsThatNoTrustedKeyHasSignedComeBackAsTheyWent) {
  const std::string text = with_tier(3, 4).to_json(0, 0, 0, 0);
  EXPECT_THAT(text, HasSubstr("\"unsigned\": 3"));
  EXPECT_THAT(text, HasSubstr("\"untrusted\": 4"));
  const auto back = Snapshot::from_json(text);
  ASSERT_TRUE(back) << back.error().message;
  ASSERT_EQ(back->remote.tiers.size(), 1u);
  EXPECT_EQ(back->remote.tiers[0].not_signed, 3u);
  EXPECT_EQ(back->remote.tiers[0].untrusted, 4u);
}

TEST(RemoteStatistics, ShowResultsThatNoTrustedKeyHasSignedIfThereAreAny) {
  const auto shown = to_text(with_tier(3, 4).to_json(0, 0, 0, 0), {.all = true});
  ASSERT_TRUE(shown);
  EXPECT_THAT(*shown, HasSubstr("of them not signed"));
  EXPECT_THAT(*shown, HasSubstr("of them signed by no trusted key"));
  const auto without = to_text(with_tier(0, 0).to_json(0, 0, 0, 0), {.all = true});
  ASSERT_TRUE(without);
  EXPECT_THAT(*without, Not(HasSubstr("signed")));
}

}  // namespace
}  // namespace hipcache::stats
