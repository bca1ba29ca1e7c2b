#include "daemon/shared/split_codegen_worth.h"

#include <gtest/gtest.h>

#include <limits>

namespace hipcache::daemon {
namespace {

constexpr std::uint64_t kAllowed = SplitCodegenGroup::kAllowedLossUs;

SplitCodegenGroup group_of(std::size_t trials, const SplitCodegenTrial& trial) {
  SplitCodegenGroup group;
  for (std::size_t index = 0; index < trials; ++index) group.add(trial);
  return group;
}

// A front end of a second, of which nothing is saved.
const SplitCodegenTrial kLightTrial{1'000'000, 40'000, 0};
// A back end of forty seconds.
const SplitCodegenTrial kHeavyTrial{1'000'000, 1'000'000, 6'500'000};

TEST(SplitCodegenGroup, SplitsWhereNothingIsKnown) {
  SplitCodegenGroup group;
  EXPECT_TRUE(group.pays());
  EXPECT_TRUE(group.splits_first_compile());
  EXPECT_EQ(group, SplitCodegenGroup()) << "nothing is counted";
  EXPECT_EQ(group.typical_front_us(), 0u);
}

TEST(SplitCodegenGroup, DecidesNothingByTwoTrialsHoweverDearTheyWere) {
  const SplitCodegenTrial dear{1'000'000, 10 * kAllowed, 0};
  EXPECT_TRUE(group_of(2, dear).pays());
  EXPECT_FALSE(group_of(3, dear).pays());
}

TEST(SplitCodegenGroup, SplitsUntilThePriceOfAllExceedsTheirSavingAndTheAllowedLoss) {
  SplitCodegenGroup group = group_of(3, {1, kAllowed / 3, 0});
  EXPECT_TRUE(group.pays());
  group.add({1, 1, 1});
  EXPECT_TRUE(group.pays());
  group.add({1, 1, 0});
  EXPECT_FALSE(group.pays());
  group.add({1, 0, 1});
  EXPECT_TRUE(group.pays());
}

// Eight light clients that start at the same moment are all split: a compile of 75 ms pays 14 ms.
TEST(SplitCodegenGroup, LearnsLaterFromStepsThatPayLittle) {
  EXPECT_TRUE(group_of(8, {75'000, 14'000, 0}).pays());
  EXPECT_FALSE(group_of(11, {75'000, 14'000, 0}).pays());
}

TEST(SplitCodegenGroup, OneHeavyBackEndIsWorthManyLightOnes) {
  SplitCodegenGroup group = group_of(20, kLightTrial);
  ASSERT_FALSE(group.pays());
  group.add(kHeavyTrial);
  EXPECT_TRUE(group.pays());
}

TEST(SplitCodegenGroup, ForgetsAHeavyBackEndAfterManyLightOnes) {
  SplitCodegenGroup group;
  group.add(kHeavyTrial);
  for (std::size_t index = 1; index < SplitCodegenGroup::kMostTrials; ++index) group.add(kLightTrial);
  EXPECT_TRUE(group.pays());
  group.add(kLightTrial);
  EXPECT_FALSE(group.pays());
}

TEST(SplitCodegenGroup, StillSplitsOneFirstCompileInSeventeen) {
  SplitCodegenGroup group = group_of(SplitCodegenGroup::kMostTrials, kLightTrial);
  for (int round = 0; round < 3; ++round) {
    for (std::uint64_t compile = 1; compile < SplitCodegenGroup::kTrialEvery; ++compile)
      EXPECT_FALSE(group.splits_first_compile()) << compile;
    EXPECT_TRUE(group.splits_first_compile());
  }
}

TEST(SplitCodegenGroup, TheTypicalFrontEndIsTheMedian) {
  SplitCodegenGroup group;
  for (const std::uint64_t front : {1, 2, 50, 3, 60}) group.add({front, 0, 0});
  EXPECT_EQ(group.typical_front_us(), 3u);
}

TEST(SplitCodegenGroup, IgnoresATrialThatNoCompileTakes) {
  SplitCodegenGroup group;
  group.add({1, std::numeric_limits<std::uint64_t>::max(), 0});
  EXPECT_EQ(group, SplitCodegenGroup());
}

TEST(SplitCodegenGroup, ComesBackAsItWasStored) {
  SplitCodegenGroup group = group_of(40, kLightTrial);
  group.add({5, 6, 7});
  group.add(kLightTrial);
  group.splits_first_compile();
  const Result<SplitCodegenGroup> back = SplitCodegenGroup::decode(group.encode());
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, group);
  EXPECT_LT(group.encode().size(), 400u);
}

TEST(SplitCodegenGroup, IsAnErrorForBytesThatAreNone) {
  SplitCodegenGroup group = group_of(3, kHeavyTrial);
  const std::string bytes = group.encode();
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(SplitCodegenGroup::decode(std::string_view(bytes).substr(0, length))) << length;
  EXPECT_FALSE(SplitCodegenGroup::decode(bytes + "x"));
  EXPECT_FALSE(SplitCodegenGroup::decode("\x7f" + bytes.substr(1)));
}

TEST(SplitCodegenGroup, IsAnErrorForNumbersBeyondItsLimits) {
  const std::string none = SplitCodegenGroup().encode();  // version, compiles as one, number of trials
  ASSERT_EQ(none.size(), 3u);
  EXPECT_FALSE(SplitCodegenGroup::decode(none.substr(0, 1) + "\x11" + none.substr(2)));
  const std::string head = none.substr(0, 2);
  EXPECT_FALSE(SplitCodegenGroup::decode(head + "\x21" + std::string(3 * 33, '\x01')));
  EXPECT_TRUE(SplitCodegenGroup::decode(head + "\x20" + std::string(3 * 32, '\x01')));
  EXPECT_FALSE(SplitCodegenGroup::decode(head + "\x01\x01" + std::string(9, '\xff') + "\x01\x01"));
}

}  // namespace
}  // namespace hipcache::daemon
