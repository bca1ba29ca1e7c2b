#include "daemon/shared/single_flight.h"

#include <gtest/gtest.h>

namespace hipcache::daemon {
namespace {

using namespace std::chrono_literals;

const Digest kStep = digest_of("a step");
const Digest kOther = digest_of("another step");

// At a time of the test's choosing. A claim is waited for 60 s, and any one for 5 s more once one was overdue.
class PatienceTest : public testing::Test {
 protected:
  bool lasts_at(std::chrono::seconds second, const Digest& step, std::uint64_t run, std::chrono::seconds overdue) {
    return wait_budget_.lasts(step, {.run = run, .holder = 7, .until = start_ + overdue}, start_ + second, 5s);
  }

  const WaitBudget::Clock::time_point start_ = WaitBudget::Clock::now();
  WaitBudget wait_budget_;
};

TEST_F(PatienceTest, LastsUntilAClaimIsOverdue) {
  EXPECT_TRUE(lasts_at(0s, kStep, 1, 60s));
  EXPECT_TRUE(lasts_at(59s, kStep, 1, 60s));
  EXPECT_FALSE(lasts_at(60s, kStep, 1, 60s));
}

TEST_F(PatienceTest, DoesNotSufferFromClaimsThatEndInTime) {
  for (int hour = 0; hour < 24; ++hour) {
    EXPECT_TRUE(lasts_at(hour * 3600s, kStep, static_cast<std::uint64_t>(hour), hour * 3600s + 60s)) << hour;
    wait_budget_.note_free(kStep);
  }
}

TEST_F(PatienceTest, EndsForAllClaimsSoonAfterOneWasOverdue) {
  EXPECT_FALSE(lasts_at(60s, kStep, 1, 60s));
  EXPECT_TRUE(lasts_at(61s, kOther, 2, 600s)) << "whoever has taken the step over may be through in no time";
  EXPECT_TRUE(lasts_at(64s, kOther, 2, 600s));
  EXPECT_FALSE(lasts_at(65s, kOther, 2, 600s));
  EXPECT_FALSE(lasts_at(3600s, kStep, 3, 9999s)) << "nor for a claim that was not seen before";
}

TEST_F(PatienceTest, EndsSoonAfterAClaimWasOverdueThatSomebodyElseTookOver) {
  EXPECT_TRUE(lasts_at(0s, kStep, 1, 60s));
  EXPECT_TRUE(lasts_at(60s, kStep, 2, 120s));
  EXPECT_TRUE(lasts_at(64s, kStep, 2, 120s));
  EXPECT_FALSE(lasts_at(65s, kStep, 2, 120s));
}

TEST_F(PatienceTest, GoesOnIfARunEndsInTimeWithoutAResultAndAnotherClientRunsTheStep) {
  EXPECT_TRUE(lasts_at(0s, kStep, 1, 60s));
  EXPECT_TRUE(lasts_at(50s, kStep, 2, 110s));
  EXPECT_TRUE(lasts_at(109s, kStep, 2, 110s));
}

}  // namespace
}  // namespace hipcache::daemon
