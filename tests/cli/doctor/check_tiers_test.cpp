#include "cli/doctor/check_compilers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hipcache::cli {
namespace {

using testing::HasSubstr;

stats::Tier tier() {
  stats::Tier tier;
  tier.url = "http://cache/";
  tier.state = "ok";
  return tier;
}

TEST(Tiers, OneThatAnswersIsOkWithItsTime) {
  stats::Tier answering = tier();
  answering.misses = 3, answering.median_us = 1'260;
  EXPECT_EQ(to_line(finding_on(answering)), "ok       shared cache http://cache/ answers in 1.3 ms\n");
}

TEST(Tiers, OneThatIsNotAskedIsAnErrorWithItsReason) {
  stats::Tier broken = tier();
  broken.state = "connection refused";
  EXPECT_EQ(finding_on(broken).level, Level::error);
  EXPECT_THAT(finding_on(broken).text, HasSubstr("http://cache/ is not used: connection refused"));
}

TEST(Tiers, OneWhoseLookUpsAllFailIsAnError) {
  stats::Tier silent = tier();
  silent.errors = 1;
  EXPECT_EQ(finding_on(silent).level, Level::error);
}

TEST(Tiers, TheReasonOfFailuresIsTold) {
  stats::Tier refused = tier();
  refused.errors = 2, refused.state = "fails: cannot connect: Connection refused";
  EXPECT_EQ(finding_on(refused).level, Level::error);
  EXPECT_THAT(finding_on(refused).text,
              HasSubstr("http://cache/ does not answer: fails: cannot connect: Connection refused; 2 look-ups failed"));
  refused.misses = 1;
  EXPECT_EQ(finding_on(refused).level, Level::warning);
  EXPECT_THAT(finding_on(refused).text, HasSubstr("answers, but fails: cannot connect"));
}

TEST(Tiers, FailuresAreAWarningAndSilenceIsANote) {
  stats::Tier failing = tier();
  failing.errors = 2, failing.misses = 1;
  EXPECT_EQ(finding_on(failing).level, Level::warning);
  EXPECT_EQ(finding_on(tier()).level, Level::note);
}

}  // namespace
}  // namespace hipcache::cli
