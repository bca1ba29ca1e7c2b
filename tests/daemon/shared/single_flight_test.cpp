#include "daemon/shared/single_flight.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "hipcache/base/files.h"

namespace hipcache::daemon {
namespace {

using namespace std::chrono_literals;

const Digest kKey = digest_of("a step");
const Digest kOtherKey = digest_of("another step");
const Digest kThirdKey = digest_of("a third step");
constexpr pid_t kHolder = 7;

class InFlightSteps : public testing::Test {
 protected:
  static UniqueFd event() { return UniqueFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }
  // How often it was woken since it was last asked.
  static std::uint64_t wake_ups(const UniqueFd& event) {
    std::uint64_t count = 0;
    return read(event.get(), &count, sizeof count) == sizeof count ? count : 0;
  }
  std::optional<SingleFlight::Claim> claim(const UniqueFd& wake, const Digest& key = kKey, pid_t holder = kHolder) {
    auto claimed = table_.claim(key, holder, wake.get());
    if (auto* ours = std::get_if<SingleFlight::Claim>(&claimed)) return std::move(*ours);
    return std::nullopt;
  }
  SingleFlight::Busy busy(const UniqueFd& wake, const Digest& key = kKey) {
    auto claimed = table_.claim(key, kHolder, wake.get());
    const auto* other = std::get_if<SingleFlight::Busy>(&claimed);
    EXPECT_NE(other, nullptr) << "the key is free";
    return other == nullptr ? SingleFlight::Busy{} : *other;
  }
  // Runs the step, which takes no time.
  void run(const Digest& key = kKey) {
    auto ours = claim(mine_, key);
    ASSERT_TRUE(ours);
    ours->note_end();
  }
  static constexpr SingleFlight::Limits kLimits{.slack = 5s, .unknown = 60s, .most = 10min};

  SingleFlight table_{kLimits};
  UniqueFd mine_ = event();
  UniqueFd other_ = event();
};

TEST_F(InFlightSteps, BelongToWhoeverClaimsThemFirst) {
  const auto first = claim(mine_);
  EXPECT_TRUE(first);
  EXPECT_FALSE(claim(other_));
  EXPECT_TRUE(claim(other_, kOtherKey));
}

TEST_F(InFlightSteps, WakeThoseWhoWaitWhenTheClaimEndsAndCanThenBeClaimed) {
  {
    const auto first = claim(mine_);
    ASSERT_FALSE(claim(other_));
    EXPECT_EQ(wake_ups(other_), 0u);
  }
  EXPECT_EQ(wake_ups(other_), 1u);
  EXPECT_EQ(wake_ups(mine_), 0u);
  EXPECT_TRUE(claim(other_));
}

TEST_F(InFlightSteps, WakeNobodyWhoWaitsForAnother) {
  const auto first = claim(mine_);
  ASSERT_FALSE(claim(other_));
  const std::uint64_t ended = table_.ended(kKey);
  for (int round = 0; round < 100; ++round) run(kOtherKey);
  EXPECT_EQ(wake_ups(other_), 0u);
  EXPECT_EQ(table_.ended(kKey), ended) << "what was looked up in vain is looked up again";
  EXPECT_EQ(table_.ended(kOtherKey), 100u);
}

TEST_F(InFlightSteps, ThatWereGivenBackWithoutARunLeaveWhatIsKnownOfTheStore) {
  const std::uint64_t ended = table_.ended(kKey);
  {
    const auto first = claim(mine_);
  }
  EXPECT_EQ(table_.ended(kKey), ended);
  run();
  EXPECT_EQ(table_.ended(kKey), ended + 1);
}

TEST_F(InFlightSteps, DoNotWakeThoseWhoWereForgotten) {
  {
    const auto first = claim(mine_);
    ASSERT_FALSE(claim(other_));
    table_.forget(other_.get());
  }
  EXPECT_EQ(wake_ups(other_), 0u);
}

TEST_F(InFlightSteps, OfUnknownTimeAreOverdueAfterAFixedTime) {
  const auto before = SingleFlight::Clock::now();
  const auto first = claim(mine_);
  const auto after = SingleFlight::Clock::now();
  const SingleFlight::Busy seen = busy(other_);
  EXPECT_EQ(seen.holder, kHolder);
  EXPECT_GE(seen.until, before + kLimits.unknown);
  EXPECT_LE(seen.until, after + kLimits.unknown);
}

TEST_F(InFlightSteps, AreOverdueAfterTwiceTheTimeOfTheLastRunAndSomeSeconds) {
  const auto began = SingleFlight::Clock::now();
  run();
  const auto took_at_most = SingleFlight::Clock::now() - began;
  const auto before = SingleFlight::Clock::now();
  const auto first = claim(mine_);
  const auto after = SingleFlight::Clock::now();
  const SingleFlight::Busy seen = busy(other_);
  EXPECT_GE(seen.until, before + kLimits.slack);
  EXPECT_LE(seen.until, after + 2 * took_at_most + kLimits.slack);
}

// kKey is known and overdue after some seconds; the other one, by itself, after a minute.
TEST_F(InFlightSteps, OfOneClientAreAllOverdueAsSoonAsOneIsUntilItReports) {
  run();
  auto late = claim(mine_);
  const auto same = claim(mine_, kOtherKey);
  const auto others = claim(mine_, kThirdKey, kHolder + 1);
  EXPECT_EQ(busy(other_, kOtherKey).until, busy(other_).until);
  EXPECT_GT(busy(other_, kThirdKey).until, busy(other_).until) << "of another client";
  late->note_end();
  EXPECT_GT(busy(other_, kOtherKey).until, busy(other_).until);
}

TEST_F(InFlightSteps, AreOverdueAtOnceIfTheirClientOwesTheReportOfAStepThatWasTakenOver) {
  run();
  auto late = claim(mine_);
  const SingleFlight::Busy seen = busy(other_);
  auto second = table_.take_over(kKey, seen.run, kHolder + 1);
  ASSERT_TRUE(second);
  second->note_end();
  second.reset();
  const auto further = claim(mine_, kOtherKey);
  EXPECT_EQ(busy(other_, kOtherKey).until, seen.until);
  late.reset();
  EXPECT_GT(busy(other_, kOtherKey).until, seen.until);
}

TEST_F(InFlightSteps, OfClientsThatAreNotKnownAreNotTakenForOneClients) {
  run();
  const auto one = claim(mine_, kKey, 0);
  const auto another = claim(mine_, kOtherKey, 0);
  EXPECT_GT(busy(other_, kOtherKey).until, busy(other_).until);
}

TEST(InFlightLimits, HoldHoweverLongTheLastRunTook) {
  SingleFlight table({.slack = 1h, .unknown = 2h, .most = 1min});
  {
    auto first = table.claim(kKey, 0, -1);
    std::get<SingleFlight::Claim>(first).note_end();
  }
  const auto first = table.claim(kKey, 0, -1);
  const auto second = table.claim(kKey, 0, -1);
  EXPECT_LE(std::get<SingleFlight::Busy>(second).until, SingleFlight::Clock::now() + 1min);
}

TEST_F(InFlightSteps, CanBeTakenOverAndTheEndOfTheFirstLeavesTheSecond) {
  auto first = claim(mine_);
  const std::uint64_t run = busy(other_).run;
  const auto second = table_.take_over(kKey, run, kHolder);
  ASSERT_TRUE(second);
  EXPECT_FALSE(table_.take_over(kKey, run, kHolder)) << "another has taken it over";
  const UniqueFd third = event();
  EXPECT_NE(busy(third).run, run);
  first->note_end();
  first.reset();
  EXPECT_EQ(wake_ups(third), 1u) << "its result may be there";
  EXPECT_EQ(table_.ended(kKey), 1u);
  EXPECT_FALSE(claim(third)) << "the second still runs it";
}

TEST_F(InFlightSteps, CanBeTakenOverAndTheSecondEndsFirst) {
  auto first = claim(mine_);
  auto second = table_.take_over(kKey, busy(other_).run, kHolder);
  ASSERT_TRUE(second);
  second->note_end();
  second.reset();
  const auto third = claim(other_);
  EXPECT_TRUE(third);
  first->note_end();
  first.reset();
  EXPECT_FALSE(claim(mine_)) << "the third still runs it";
}

TEST_F(InFlightSteps, ThatHaveEndedCannotBeTakenOver) {
  auto first = claim(mine_);
  const std::uint64_t run = busy(other_).run;
  first.reset();
  EXPECT_FALSE(table_.take_over(kKey, run, kHolder));
}

TEST_F(InFlightSteps, AreClaimedByOneOfManyThreadsAtATime) {
  std::atomic<int> holders{0};
  std::atomic<int> most{0};
  std::atomic<int> claims{0};
  const auto contend = [&] {
    for (int round = 0; round < 2000; ++round) {
      const auto ours = claim(mine_);
      if (!ours) continue;
      const int now = ++holders;
      if (now > most) most = now;
      ++claims;
      --holders;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(contend);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(most, 1);
  EXPECT_GT(claims, 0);
}

}  // namespace
}  // namespace hipcache::daemon
