#include "daemon/shared/split_codegen_worth.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "support/memory_store.h"

namespace hipcache::daemon {
namespace {

constexpr std::uint64_t kMillisecond = 1'000;

SplitCodegenCost split_once(std::uint64_t front_us, std::uint64_t back_us) {
  SplitCodegenCost cost;
  cost.ran_apart(front_us, back_us);
  return cost;
}

SplitCodegenCost run_as_one(std::uint64_t whole_us) {
  SplitCodegenCost cost;
  cost.ran_as_one(whole_us);
  return cost;
}

cache::ActionKey step_named(const std::string& name) { return {digest_of(name)}; }

// Front ends take two seconds. Three trials cost more than is allowed for finding out.
class SplitCodegenLedgerTest : public testing::Test {
 protected:
  void split(const std::string& step, std::uint64_t back_us, const Digest& group) {
    ledger_.note_run(step_named(step), group, {}, split_once(2000 * kMillisecond, back_us));
  }
  void learn_light() {
    for (const char* step : {"one", "two", "three"}) split(step, kMillisecond, kGroup);
  }

  const Digest kGroup = digest_of("group");
  support::MemoryStore store_;
  Log log_;
  SplitCodegenLedger ledger_{store_, log_};
};

TEST_F(SplitCodegenLedgerTest, SplitsFirstCompilesUntilThreeOfTheGroupWereLight) {
  for (const char* step : {"one", "two", "three"}) {
    EXPECT_TRUE(ledger_.splits_next_run({}, kGroup));
    split(step, kMillisecond, kGroup);
  }
  EXPECT_FALSE(ledger_.splits_next_run({}, kGroup));
  EXPECT_TRUE(ledger_.splits_next_run({}, digest_of("another group")));
}

TEST_F(SplitCodegenLedgerTest, KeepsSplittingWhereBackEndsAreHeavy) {
  for (int step = 0; step < 40; ++step) split(std::to_string(step), 2000 * kMillisecond, kGroup);
  EXPECT_TRUE(ledger_.splits_next_run({}, kGroup));
}

TEST_F(SplitCodegenLedgerTest, CountsFirstCompilesAcrossDaemons) {
  learn_light();
  for (std::uint64_t compile = 1; compile < SplitCodegenGroup::kTrialEvery; ++compile)
    EXPECT_FALSE(SplitCodegenLedger(store_, log_).splits_next_run({}, kGroup)) << compile;
  EXPECT_TRUE(SplitCodegenLedger(store_, log_).splits_next_run({}, kGroup));
}

TEST_F(SplitCodegenLedgerTest, SplitsAStepThatRanAsOneOnlyIfItTookFarLongerThanLightOnes) {
  const SplitCodegenCost usual = run_as_one(2500 * kMillisecond);
  const SplitCodegenCost heavy = run_as_one(40'000 * kMillisecond);
  EXPECT_TRUE(ledger_.splits_next_run(usual, kGroup)) << "nothing is known of the group";
  learn_light();
  EXPECT_FALSE(ledger_.splits_next_run(usual, kGroup));
  EXPECT_TRUE(ledger_.splits_next_run(heavy, kGroup));
}

TEST_F(SplitCodegenLedgerTest, AStepThatWasSplitGoesByItsOwnCost) {
  learn_light();
  EXPECT_TRUE(ledger_.splits_next_run(split_once(1000 * kMillisecond, 4000 * kMillisecond), kGroup));
  for (int step = 0; step < 40; ++step) split(std::to_string(step), 2000 * kMillisecond, kGroup);
  EXPECT_FALSE(ledger_.splits_next_run(split_once(1000 * kMillisecond, kMillisecond), kGroup));
}

TEST_F(SplitCodegenLedgerTest, AHeavyBackEndChangesTheGroupsMind) {
  learn_light();
  ASSERT_FALSE(ledger_.splits_next_run({}, kGroup));
  split("heavy", 40'000 * kMillisecond, kGroup);
  EXPECT_TRUE(ledger_.splits_next_run({}, kGroup));
}

TEST_F(SplitCodegenLedgerTest, OnlyTheFirstSplitRunOfAStepIsATrial) {
  SplitCodegenCost before = split_once(2000 * kMillisecond, kMillisecond);
  ledger_.note_run(step_named("a"), kGroup, {}, before);
  for (int edit = 0; edit < 9; ++edit) {
    SplitCodegenCost after = before;
    after.ran_apart(2000 * kMillisecond, kMillisecond);
    ledger_.note_run(step_named("a"), kGroup, before, after);
    before = after;
  }
  EXPECT_EQ(ledger_.cost(step_named("a")), before);
  EXPECT_TRUE(ledger_.splits_next_run({}, kGroup));
}

TEST_F(SplitCodegenLedgerTest, ARunAsOneIsNoTrial) {
  for (int step = 0; step < 9; ++step)
    ledger_.note_run(step_named(std::to_string(step)), kGroup, {}, run_as_one(9000 * kMillisecond));
  EXPECT_EQ(ledger_.cost(step_named("8")), run_as_one(9000 * kMillisecond));
  EXPECT_TRUE(ledger_.splits_next_run({}, kGroup));
}

TEST_F(SplitCodegenLedgerTest, WritesNothingIfNothingChanged) {
  const SplitCodegenCost cost = run_as_one(kMillisecond);
  ledger_.note_run(step_named("a"), kGroup, cost, cost);
  EXPECT_TRUE(ledger_.splits_next_run({}, kGroup));
  EXPECT_EQ(store_.action_writes, 0u);
}

TEST_F(SplitCodegenLedgerTest, ADamagedGroupCountsAsNoneAndIsBegunAnew) {
  learn_light();
  store_.actions[kGroup] = "damaged";
  EXPECT_TRUE(ledger_.splits_next_run({}, kGroup));
  learn_light();
  EXPECT_FALSE(ledger_.splits_next_run({}, kGroup));
}

TEST_F(SplitCodegenLedgerTest, ADamagedCostCountsAsNone) {
  learn_light();
  store_.actions[cost_key(step_named("one"))] = "damaged";
  EXPECT_FALSE(ledger_.cost(step_named("one")).is_known());
}

TEST_F(SplitCodegenLedgerTest, ARefusedStepIsNotSplitAgain) {
  split("a", 40'000 * kMillisecond, kGroup);
  ledger_.refuse(step_named("a"));
  EXPECT_FALSE(ledger_.splits_next_run(ledger_.cost(step_named("a")), kGroup));
}

TEST_F(SplitCodegenLedgerTest, SplitsWithoutAStore) {
  store_.broken = true;
  learn_light();
  EXPECT_TRUE(ledger_.splits_next_run({}, kGroup));
}

TEST_F(SplitCodegenLedgerTest, LosesNoTrialOfRequestsThatEndAtTheSameMoment) {
  constexpr int kThreads = 8;
  constexpr int kEach = 4;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      for (int step = 0; step < kEach; ++step) split(std::to_string(thread * kEach + step), kMillisecond, kGroup);
    });
  for (std::thread& thread : threads) thread.join();
  SplitCodegenGroup expected;
  for (int step = 0; step < kThreads * kEach; ++step)
    expected.add(split_once(2000 * kMillisecond, kMillisecond).first_trial());
  EXPECT_EQ(store_.actions.at(kGroup), expected.encode());
}

}  // namespace
}  // namespace hipcache::daemon
