#include "daemon/in_flight.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "hipcache/base/files.h"

namespace hipcache::daemon {
namespace {

const Digest kKey = digest_of("a step");

class InFlightSteps : public testing::Test {
 protected:
  static UniqueFd event() { return UniqueFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }
  static bool was_woken(const UniqueFd& event) {
    std::uint64_t count = 0;
    return read(event.get(), &count, sizeof count) == sizeof count;
  }

  InFlight table_;
  UniqueFd mine_ = event();
  UniqueFd other_ = event();
};

TEST_F(InFlightSteps, BelongToWhoeverClaimsThemFirst) {
  const auto claim = table_.claim(kKey, mine_.get());
  EXPECT_TRUE(claim.has_value());
  EXPECT_FALSE(table_.claim(kKey, other_.get()).has_value());
  EXPECT_TRUE(table_.claim(digest_of("another step"), other_.get()).has_value());
}

TEST_F(InFlightSteps, WakeThoseWhoWaitWhenTheClaimEndsAndCanThenBeClaimed) {
  {
    const auto claim = table_.claim(kKey, mine_.get());
    ASSERT_FALSE(table_.claim(kKey, other_.get()).has_value());
    EXPECT_FALSE(was_woken(other_));
  }
  EXPECT_TRUE(was_woken(other_));
  EXPECT_FALSE(was_woken(mine_));
  EXPECT_TRUE(table_.claim(kKey, other_.get()).has_value());
}

TEST_F(InFlightSteps, DoNotWakeThoseWhoWereForgotten) {
  {
    const auto claim = table_.claim(kKey, mine_.get());
    ASSERT_FALSE(table_.claim(kKey, other_.get()).has_value());
    table_.forget(other_.get());
  }
  EXPECT_FALSE(was_woken(other_));
}

TEST_F(InFlightSteps, AreClaimedByOneOfManyThreadsAtATime) {
  std::atomic<int> holders{0};
  std::atomic<int> most{0};
  std::atomic<int> claims{0};
  const auto contend = [&] {
    for (int round = 0; round < 2000; ++round) {
      const auto claim = table_.claim(kKey, mine_.get());
      if (!claim) continue;
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
