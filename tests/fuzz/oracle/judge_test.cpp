// A judge that acquits everybody would make the walks worthless.
#include "fuzz/oracle/judge.h"

#include <gtest/gtest.h>

namespace hipcache::fuzz {
namespace {

using Kind = Finding::Kind;

class Judge : public testing::Test {
 protected:
  Judge() {
    for (const char* step : {"device", "bundle", "host", "probe"}) comparison_.counted.run[step] = 0;
  }

  std::vector<Kind> kinds() const {
    std::vector<Kind> kinds;
    for (const Finding& finding : judge(occasion_, comparison_, ledger_)) kinds.push_back(finding.kind);
    return kinds;
  }

  void runs_everything() {
    for (const char* step : {"device", "device gfx906", "bundle", "host", "probe"}) comparison_.counted.run[step] = 1;
  }

  const Compile compile_{.source = "src/a.hip", .output = "out0/a.o", .archs = {"gfx906"}};
  Occasion occasion_{.compiles = {compile_}, .state = digest_of("state")};
  integration::Comparison comparison_{.exit_codes = {0}};
  Ledger ledger_;
};

TEST_F(Judge, AcquitsAMissThatWasNotOwed) {
  runs_everything();
  EXPECT_TRUE(kinds().empty());
  EXPECT_TRUE(is_settled(occasion_, comparison_));
}

TEST_F(Judge, FindsWhatDiffers) {
  comparison_.differences = {"a.o differs"};
  EXPECT_EQ(kinds(), std::vector{Kind::mismatch});
}

TEST_F(Judge, FindsErrorsOfTheCacheItself) {
  comparison_.counted.errors = 1;
  EXPECT_EQ(kinds(), std::vector{Kind::mismatch});
  EXPECT_FALSE(is_settled(occasion_, comparison_));
}

TEST_F(Judge, FindsAnOwedHitThatWasNoneUnlessItWasToRunAgain) {
  ledger_.settled(compile_, occasion_.state);
  runs_everything();
  EXPECT_EQ(kinds(), (std::vector{Kind::needless_miss, Kind::needless_miss, Kind::needless_miss}));
  occasion_.recache = true;
  EXPECT_TRUE(kinds().empty());
}

TEST_F(Judge, FindsAnOwedDeviceStepThatRan) {
  Compile other = compile_;
  other.archs = {"gfx906", "gfx1030"};
  ledger_.settled(other, occasion_.state);
  comparison_.counted.run["device"] = 1;
  comparison_.counted.run["device gfx906"] = 1;
  EXPECT_EQ(kinds(), std::vector{Kind::needless_miss});
}

TEST_F(Judge, FindsWhatPassedThroughUnlessItFailed) {
  comparison_.counted.reasons["probe-failed"] = 1;
  EXPECT_EQ(kinds(), std::vector{Kind::needless_miss});
  EXPECT_FALSE(is_settled(occasion_, comparison_));
  comparison_.exit_codes = {1};
  EXPECT_TRUE(kinds().empty());
}

TEST_F(Judge, FindsWhatWasNotStoredUnlessTheProjectAsksForTheTime) {
  comparison_.counted.not_stored["clock"] = 1;
  EXPECT_EQ(kinds(), std::vector{Kind::needless_miss});
  EXPECT_FALSE(is_settled(occasion_, comparison_));
  occasion_.clocked = true;
  EXPECT_TRUE(kinds().empty());
  comparison_.counted.not_stored["input-changed"] = 1;
  EXPECT_EQ(kinds(), std::vector{Kind::needless_miss});
}

TEST_F(Judge, OwesWhatWasFoundWhileNothingWasStoredUnlessAStepRan) {
  occasion_.reads_only = true;
  comparison_.counted.hits = 1;
  EXPECT_TRUE(is_settled(occasion_, comparison_));
  comparison_.counted.run["probe"] = 1;
  EXPECT_FALSE(is_settled(occasion_, comparison_));
}

TEST_F(Judge, FindsAStepThatTwoEqualRequestsBothRan) {
  occasion_.compiles = {compile_, compile_};
  comparison_.exit_codes = {0, 0};
  comparison_.counted.run["host"] = 2;
  EXPECT_EQ(kinds(), std::vector{Kind::needless_miss});
  occasion_.compiles.back().output = "out1/a.o";
  EXPECT_TRUE(kinds().empty());
}

}  // namespace
}  // namespace hipcache::fuzz
