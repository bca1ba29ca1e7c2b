#include "daemon/shared/split_codegen_worth.h"

#include <gtest/gtest.h>

namespace hipcache::daemon {
namespace {

constexpr std::uint64_t kSecond = 1'000'000;

TEST(SplitCodegenCost, DoesNotPayWhereNothingIsKnown) { EXPECT_FALSE(SplitCodegenCost().pays()); }

TEST(SplitCodegenCost, DoesNotPayForWhatTakesNoTime) {
  SplitCodegenCost cost;
  cost.ran_as_one(kSecond / 10);
  EXPECT_FALSE(cost.pays());
}

TEST(SplitCodegenCost, IsFoundOutForWhatTakesLong) {
  SplitCodegenCost cost;
  cost.ran_as_one(kSecond);
  EXPECT_TRUE(cost.pays());
}

// Headers: a second in the front end, a tenth of one in the back end.
TEST(SplitCodegenCost, DoesNotPayForALightBackEndOnceThatIsKnown) {
  SplitCodegenCost cost;
  cost.ran_as_one(11 * kSecond / 10);
  cost.ran_apart(kSecond, kSecond / 10);
  EXPECT_FALSE(cost.pays());
  cost.ran_as_one(17 * kSecond / 10);
  EXPECT_FALSE(cost.pays()) << "the machine was busy";
}

TEST(SplitCodegenCost, PaysForAHeavyBackEnd) {
  SplitCodegenCost cost;
  cost.ran_as_one(5 * kSecond);
  cost.ran_apart(kSecond, 4 * kSecond);
  EXPECT_TRUE(cost.pays());
}

TEST(SplitCodegenCost, PaysAgainWhereTheBackEndHasGrown) {
  SplitCodegenCost cost;
  cost.ran_as_one(kSecond);
  cost.ran_apart(kSecond, kSecond / 10);
  ASSERT_FALSE(cost.pays());
  cost.ran_as_one(3 * kSecond);
  EXPECT_TRUE(cost.pays());
}

TEST(SplitCodegenCost, GoesByHowOftenTheBackEndWasSpared) {
  SplitCodegenCost never, often;
  for (SplitCodegenCost* cost : {&never, &often}) cost->ran_apart(kSecond / 2, kSecond / 2);
  ASSERT_TRUE(never.pays());
  for (int edit = 0; edit < 20; ++edit) {
    never.ran_apart(kSecond / 2, kSecond / 2);
    often.spared_back(kSecond / 2);
  }
  EXPECT_FALSE(never.pays());
  EXPECT_TRUE(often.pays());
}

TEST(SplitCodegenCost, IsNotTriedAgainWhereItWasRefused) {
  SplitCodegenCost cost;
  cost.ran_as_one(5 * kSecond);
  cost.refuse();
  EXPECT_FALSE(cost.pays());
  cost.ran_as_one(50 * kSecond);
  EXPECT_FALSE(cost.pays());
}

// Among steps whose front ends take half a second.
TEST(SplitCodegenCost, IsTakenForLightAmongLightStepsUntilItTakesTwiceTheirFrontEnd) {
  SplitCodegenCost cost;
  cost.ran_as_one(kSecond);
  ASSERT_TRUE(cost.pays());
  EXPECT_FALSE(cost.pays_among_light(kSecond / 2));
  cost.ran_as_one(kSecond + 2);
  EXPECT_TRUE(cost.pays_among_light(kSecond / 2));
}

TEST(SplitCodegenCost, IsNoMoreThanItsTimeAmongVeryLightSteps) {
  SplitCodegenCost cost;
  cost.ran_as_one(kSecond / 10);
  EXPECT_FALSE(cost.pays_among_light(kSecond / 100));
  cost.refuse();
  cost.ran_as_one(50 * kSecond);
  EXPECT_FALSE(cost.pays_among_light(kSecond / 100));
}

TEST(SplitCodegenCost, IsItsOwnAmongLightStepsOnceItWasSplit) {
  SplitCodegenCost heavy, light;
  heavy.ran_apart(kSecond, 4 * kSecond);
  EXPECT_TRUE(heavy.was_split());
  EXPECT_TRUE(heavy.pays_among_light(100 * kSecond));
  light.ran_apart(5 * kSecond, kSecond / 10);
  EXPECT_FALSE(light.pays_among_light(kSecond));
}

TEST(SplitCodegenCost, TheFirstSplitRunShowsItsPriceAndWhatTheBackEndWillSave) {
  SplitCodegenCost light, heavy;
  light.ran_apart(kSecond, 0);
  EXPECT_EQ(light.first_trial(), (SplitCodegenTrial{kSecond, 12'000 + kSecond / 40, 0}));
  heavy.ran_apart(kSecond, 3 * kSecond);
  EXPECT_EQ(heavy.first_trial(), (SplitCodegenTrial{kSecond, 12'000 + kSecond / 10, kSecond / 2}));
}

TEST(SplitCodegenCost, ABackEndThatDoesNotPayByItselfSavesNothing) {
  SplitCodegenCost cost;
  cost.ran_apart(kSecond, kSecond / 10);
  ASSERT_FALSE(cost.pays());
  EXPECT_EQ(cost.first_trial().saving_us, 0u);
}

TEST(SplitCodegenCost, ARefusedSplitRunCostTheWholeStepAgain) {
  SplitCodegenCost cost;
  cost.refuse();
  EXPECT_TRUE(cost.was_split());
  cost.ran_as_one(3 * kSecond);
  EXPECT_EQ(cost.first_trial().price_us, 3 * kSecond);
  EXPECT_EQ(cost.first_trial().saving_us, 0u);
}

TEST(SplitCodegenCost, ComesBackAsItWasStored) {
  SplitCodegenCost cost;
  EXPECT_FALSE(cost.was_split());
  cost.ran_apart(kSecond, 2 * kSecond);
  cost.spared_back(3 * kSecond);
  cost.refuse();
  const Result<SplitCodegenCost> back = SplitCodegenCost::decode(cost.encode());
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, cost);
}

TEST(SplitCodegenCost, IsAnErrorForBytesThatAreNone) {
  const std::string bytes = SplitCodegenCost().encode();
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(SplitCodegenCost::decode(std::string_view(bytes).substr(0, length))) << length;
  EXPECT_FALSE(SplitCodegenCost::decode(bytes + "x"));
  EXPECT_FALSE(SplitCodegenCost::decode("\x7f" + bytes.substr(1)));
}

}  // namespace
}  // namespace hipcache::daemon
