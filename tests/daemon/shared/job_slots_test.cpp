#include "daemon/shared/job_slots.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <vector>

#include "hipcache/base/files.h"
#include "support/stopped_process.h"

namespace hipcache::daemon {
namespace {

using namespace std::chrono_literals;

constexpr pid_t kNobody = 0;

// One who waits for a token.
class Waiter {
 public:
  int fd() const { return wake_.get(); }
  bool was_woken() const {
    std::uint64_t count = 0;
    return read(wake_.get(), &count, sizeof count) == sizeof count;
  }

 private:
  UniqueFd wake_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
};

class TokensOfTwo : public testing::Test {
 protected:
  bool start_first() { return job_slots_.start(true, kNobody, waiter_.fd()); }
  bool start_further() { return start_further(waiter_); }
  bool start_further(const Waiter& waiter) { return job_slots_.start(false, kNobody, waiter.fd()); }

  JobSlots job_slots_{2, 0s};
  Waiter waiter_;
};

TEST_F(TokensOfTwo, LetALoneSessionUseTheWholeMachineAndNoMore) {
  EXPECT_TRUE(start_first());
  EXPECT_TRUE(start_further());
  EXPECT_FALSE(start_further());
  EXPECT_EQ(job_slots_.running(), 2u);
}

TEST_F(TokensOfTwo, LetEverySessionRunOneStepHoweverManyThereAre) {
  for (int session = 0; session < 8; ++session) EXPECT_TRUE(start_first());
  EXPECT_FALSE(start_further());
}

TEST_F(TokensOfTwo, WakeWhoWaitsOnlyWhenAPlaceIsFree) {
  for (int session = 0; session < 3; ++session) ASSERT_TRUE(start_first());
  ASSERT_FALSE(start_further());
  job_slots_.finish(kNobody);
  EXPECT_FALSE(waiter_.was_woken()) << "two of two still run";
  job_slots_.finish(kNobody);
  EXPECT_TRUE(waiter_.was_woken());
  EXPECT_TRUE(start_further());
}

TEST_F(TokensOfTwo, WakeAsManyAsThereAreFreePlacesInTheOrderInWhichTheyCame) {
  ASSERT_TRUE(start_first());
  ASSERT_TRUE(start_further());
  const std::vector<Waiter> waiters(5);
  for (const Waiter& waiter : waiters) ASSERT_FALSE(start_further(waiter));
  job_slots_.finish(kNobody);
  for (std::size_t index = 0; index < waiters.size(); ++index)
    EXPECT_EQ(waiters[index].was_woken(), index == 0) << index;
  EXPECT_FALSE(start_further(waiter_)) << "the place is kept for the one who was woken";
  EXPECT_TRUE(start_further(waiters[0]));
  job_slots_.finish(kNobody);
  job_slots_.finish(kNobody);
  for (std::size_t index = 0; index < waiters.size(); ++index)
    EXPECT_EQ(waiters[index].was_woken(), index == 1 || index == 2) << index;
}

TEST_F(TokensOfTwo, WakeTheNextIfOneWhoWasWokenHasNoUseForItsPlace) {
  ASSERT_TRUE(start_first());
  ASSERT_TRUE(start_further());
  const std::vector<Waiter> waiters(3);
  for (const Waiter& waiter : waiters) ASSERT_FALSE(start_further(waiter));
  job_slots_.finish(kNobody);
  ASSERT_TRUE(waiters[0].was_woken());
  job_slots_.forget(waiters[0].fd());
  EXPECT_TRUE(waiters[1].was_woken());
  EXPECT_FALSE(waiters[2].was_woken());
  job_slots_.forget(waiters[2].fd());
  EXPECT_TRUE(start_further(waiters[1]));
}

TEST_F(TokensOfTwo, DoNotWakeWhoWasForgotten) {
  ASSERT_TRUE(start_first());
  ASSERT_TRUE(start_further());
  ASSERT_FALSE(start_further());
  job_slots_.forget(waiter_.fd());
  job_slots_.finish(kNobody);
  EXPECT_FALSE(waiter_.was_woken());
}

TEST_F(TokensOfTwo, AreSpareOnlyIfNobodyElseWantsThem) {
  const Waiter spare;
  ASSERT_TRUE(start_first());
  EXPECT_TRUE(job_slots_.start_spare(kNobody, spare.fd()));
  EXPECT_FALSE(job_slots_.start_spare(kNobody, spare.fd()));
  ASSERT_FALSE(start_further());
  job_slots_.finish(kNobody);
  EXPECT_TRUE(waiter_.was_woken());
  EXPECT_FALSE(spare.was_woken());
  EXPECT_FALSE(job_slots_.start_spare(kNobody, spare.fd())) << "it is kept for the other one";
  job_slots_.forget(waiter_.fd());
  EXPECT_TRUE(spare.was_woken()) << "the other one has no use for it";
  EXPECT_TRUE(job_slots_.start_spare(kNobody, spare.fd()));
}

TEST_F(TokensOfTwo, ThatAreSpareAreKeptForNobody) {
  const Waiter spares[2];
  ASSERT_TRUE(start_first());
  ASSERT_TRUE(start_further());
  for (const Waiter& spare : spares) ASSERT_FALSE(job_slots_.start_spare(kNobody, spare.fd()));
  job_slots_.finish(kNobody);
  EXPECT_TRUE(spares[0].was_woken());
  EXPECT_FALSE(spares[1].was_woken());
  EXPECT_TRUE(start_further());
  EXPECT_FALSE(job_slots_.start_spare(kNobody, spares[0].fd()));
  job_slots_.forget(spares[1].fd());
  job_slots_.finish(kNobody);
  EXPECT_TRUE(spares[0].was_woken());
  EXPECT_FALSE(spares[1].was_woken());
}

TEST_F(TokensOfTwo, DoNotCountTheStepsOfAClientWhileItIsStopped) {
  support::StoppableProcess client;
  ASSERT_TRUE(job_slots_.start(true, client.pid(), waiter_.fd()));
  ASSERT_TRUE(job_slots_.start(false, client.pid(), waiter_.fd()));
  ASSERT_FALSE(start_further());
  client.stop();
  EXPECT_TRUE(start_further());
  EXPECT_TRUE(start_further());
  EXPECT_FALSE(start_further());
  client.go_on();
  job_slots_.finish(kNobody);
  EXPECT_FALSE(start_further()) << "three of two run";
  job_slots_.finish(client.pid());
  job_slots_.finish(client.pid());
  job_slots_.finish(kNobody);
  EXPECT_EQ(job_slots_.running(), 0u);
}

TEST(JobSlots, OfNoneCountAsOne) {
  JobSlots job_slots(0);
  EXPECT_TRUE(job_slots.start(false, kNobody, -1));
}

TEST(JobSlots, CountTheProcessorsThatMayBeUsed) { EXPECT_GE(usable_processors(), 1u); }

}  // namespace
}  // namespace hipcache::daemon
