#include "cli/flush.h"

#include <gtest/gtest.h>

namespace hipcache::cli {
namespace {

using namespace std::chrono_literals;

class StandstillTest : public ::testing::Test {
 protected:
  Standstill::Clock::duration after(std::chrono::seconds time, std::uint64_t written, std::uint64_t bytes_sent) {
    return standstill_.note(written, bytes_sent, start_ + time);
  }

  const Standstill::Clock::time_point start_ = Standstill::Clock::now();
  Standstill standstill_{start_};
};

TEST_F(StandstillTest, NothingMovesFromTheStartOn) {
  EXPECT_EQ(after(0s, 7, 1'000'000), 0s);
  EXPECT_EQ(after(12s, 7, 1'000'000), 12s);
  EXPECT_EQ(after(20s, 7, 1'000'000), 20s);
}

TEST_F(StandstillTest, AWrittenResultIsProgress) {
  after(0s, 7, 0);
  EXPECT_EQ(after(10s, 8, 0), 0s);
  EXPECT_EQ(after(15s, 8, 0), 5s);
}

TEST_F(StandstillTest, ALargeObjectOnASlowLineIsProgress) {
  after(0s, 0, 0);
  for (int seconds = 10; seconds <= 600; seconds += 10)
    EXPECT_EQ(after(std::chrono::seconds(seconds), 0, Standstill::kProgress * static_cast<std::uint64_t>(seconds) / 10),
              0s);
}

TEST_F(StandstillTest, AByteNowAndThenIsNoProgress) {
  after(0s, 0, 0);
  EXPECT_EQ(after(19s, 0, 19), 19s);
  EXPECT_EQ(after(20s, 0, 20), 20s);
}

TEST_F(StandstillTest, SmallPiecesAddUp) {
  after(0s, 0, 0);
  EXPECT_EQ(after(5s, 0, Standstill::kProgress / 2), 5s);
  EXPECT_EQ(after(9s, 0, Standstill::kProgress), 0s);
}

TEST_F(StandstillTest, ANewProcessThatCountsFromNothingIsNoProgress) {
  after(0s, 3, 10 * Standstill::kProgress);
  EXPECT_EQ(after(5s, 3, 0), 5s);
  EXPECT_EQ(after(6s, 3, Standstill::kProgress), 0s);
}

}  // namespace
}  // namespace hipcache::cli
