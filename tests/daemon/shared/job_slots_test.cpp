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
  bool start_first() { return job_slots_.start(true, {.client = kNobody, .wake_fd = waiter_.fd()}); }
  bool start_further() { return start_further(waiter_); }
  bool start_further(const Waiter& waiter) {
    return job_slots_.start(false, {.client = kNobody, .wake_fd = waiter.fd()});
  }

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
  job_slots_.finish(kNobody, 0);
  EXPECT_FALSE(waiter_.was_woken()) << "two of two still run";
  job_slots_.finish(kNobody, 0);
  EXPECT_TRUE(waiter_.was_woken());
  EXPECT_TRUE(start_further());
}

TEST_F(TokensOfTwo, WakeAsManyAsThereAreFreePlacesInTheOrderInWhichTheyCame) {
  ASSERT_TRUE(start_first());
  ASSERT_TRUE(start_further());
  const std::vector<Waiter> waiters(5);
  for (const Waiter& waiter : waiters) ASSERT_FALSE(start_further(waiter));
  job_slots_.finish(kNobody, 0);
  for (std::size_t index = 0; index < waiters.size(); ++index)
    EXPECT_EQ(waiters[index].was_woken(), index == 0) << index;
  EXPECT_FALSE(start_further(waiter_)) << "the place is kept for the one who was woken";
  EXPECT_TRUE(start_further(waiters[0]));
  job_slots_.finish(kNobody, 0);
  job_slots_.finish(kNobody, 0);
  for (std::size_t index = 0; index < waiters.size(); ++index)
    EXPECT_EQ(waiters[index].was_woken(), index == 1 || index == 2) << index;
}

TEST_F(TokensOfTwo, WakeTheNextIfOneWhoWasWokenHasNoUseForItsPlace) {
  ASSERT_TRUE(start_first());
  ASSERT_TRUE(start_further());
  const std::vector<Waiter> waiters(3);
  for (const Waiter& waiter : waiters) ASSERT_FALSE(start_further(waiter));
  job_slots_.finish(kNobody, 0);
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
  job_slots_.finish(kNobody, 0);
  EXPECT_FALSE(waiter_.was_woken());
}

TEST_F(TokensOfTwo, AreSpareOnlyIfNobodyElseWantsThem) {
  const Waiter spare;
  ASSERT_TRUE(start_first());
  EXPECT_TRUE(job_slots_.start_spare({.client = kNobody, .wake_fd = spare.fd()}));
  EXPECT_FALSE(job_slots_.start_spare({.client = kNobody, .wake_fd = spare.fd()}));
  ASSERT_FALSE(start_further());
  job_slots_.finish(kNobody, 0);
  EXPECT_TRUE(waiter_.was_woken());
  EXPECT_FALSE(spare.was_woken());
  EXPECT_FALSE(job_slots_.start_spare({.client = kNobody, .wake_fd = spare.fd()})) << "it is kept for the other one";
  job_slots_.forget(waiter_.fd());
  EXPECT_TRUE(spare.was_woken()) << "the other one has no use for it";
  EXPECT_TRUE(job_slots_.start_spare({.client = kNobody, .wake_fd = spare.fd()}));
}

TEST_F(TokensOfTwo, ThatAreSpareAreKeptForNobody) {
  const Waiter spares[2];
  ASSERT_TRUE(start_first());
  ASSERT_TRUE(start_further());
  for (const Waiter& spare : spares) ASSERT_FALSE(job_slots_.start_spare({.client = kNobody, .wake_fd = spare.fd()}));
  job_slots_.finish(kNobody, 0);
  EXPECT_TRUE(spares[0].was_woken());
  EXPECT_FALSE(spares[1].was_woken());
  EXPECT_TRUE(start_further());
  EXPECT_FALSE(job_slots_.start_spare({.client = kNobody, .wake_fd = spares[0].fd()}));
  job_slots_.forget(spares[1].fd());
  job_slots_.finish(kNobody, 0);
  EXPECT_TRUE(spares[0].was_woken());
  EXPECT_FALSE(spares[1].was_woken());
}

TEST_F(TokensOfTwo, AreIdleWhileOneIsFreeAndNobodyWaits) {
  EXPECT_TRUE(job_slots_.is_idle({}));
  ASSERT_TRUE(start_first());
  EXPECT_TRUE(job_slots_.is_idle({}));
  ASSERT_TRUE(start_further());
  EXPECT_FALSE(job_slots_.is_idle({}));
  ASSERT_FALSE(start_further());
  job_slots_.finish(kNobody, 0);
  EXPECT_FALSE(job_slots_.is_idle({})) << "the slot is kept for the one who waits";
  job_slots_.forget(waiter_.fd());
  EXPECT_TRUE(job_slots_.is_idle({}));
}

TEST_F(TokensOfTwo, DoNotCountTheStepsOfAClientWhileItIsStopped) {
  support::StoppableProcess client;
  ASSERT_TRUE(job_slots_.start(true, {.client = client.pid(), .wake_fd = waiter_.fd()}));
  ASSERT_TRUE(job_slots_.start(false, {.client = client.pid(), .wake_fd = waiter_.fd()}));
  ASSERT_FALSE(start_further());
  client.stop();
  EXPECT_TRUE(start_further());
  EXPECT_TRUE(start_further());
  EXPECT_FALSE(start_further());
  client.go_on();
  job_slots_.finish(kNobody, 0);
  EXPECT_FALSE(start_further()) << "three of two run";
  job_slots_.finish(client.pid(), 0);
  job_slots_.finish(client.pid(), 0);
  job_slots_.finish(kNobody, 0);
  EXPECT_EQ(job_slots_.running(), 0u);
}

TEST(JobSlots, OfNoneCountAsOne) {
  JobSlots job_slots(0);
  EXPECT_TRUE(job_slots.start(false, {}));
}

// Clients 1 and 2 are below a tool with -j2, client 3 below none.
class SlotsOfEight : public testing::Test {
 protected:
  bool start_first(pid_t client) { return job_slots_.start(true, {.client = client, .wake_fd = waiter_.fd()}); }
  bool start_further(pid_t client, std::uint64_t memory = 0) {
    return job_slots_.start(false, {.client = client, .memory = memory, .wake_fd = waiter_.fd()});
  }

  std::uint64_t available_ = kUnknownMemory;
  JobSlots job_slots_{8,
                      0s,
                      {.build_tool = [](pid_t client) { return client < 3 ? BuildTool{100, 1, 2} : BuildTool(); },
                       .available_memory = [this](pid_t) { return available_; }}};
  Waiter waiter_;
};

TEST_F(SlotsOfEight, AreNoMoreBelowABuildToolThanItsJobs) {
  ASSERT_TRUE(start_first(1));
  EXPECT_TRUE(start_further(1));
  EXPECT_FALSE(start_further(1));
  EXPECT_TRUE(start_first(2)) << "the tool has counted it";
  EXPECT_TRUE(start_first(3));
  EXPECT_TRUE(start_further(3));
  EXPECT_TRUE(start_further(3));
  job_slots_.finish(2, 0);
  EXPECT_FALSE(waiter_.was_woken()) << "two of two still run";
  job_slots_.finish(1, 0);
  EXPECT_TRUE(waiter_.was_woken());
  const Waiter other;
  EXPECT_FALSE(job_slots_.start(false, {.client = 2, .wake_fd = other.fd()})) << "it is kept for the one who was woken";
}

TEST_F(SlotsOfEight, AreNotIdleWhileABuildRunsAllOfItsJobs) {
  ASSERT_TRUE(start_first(1));
  EXPECT_TRUE(job_slots_.is_idle({.client = 4}));
  ASSERT_TRUE(start_first(2));
  EXPECT_FALSE(job_slots_.is_idle({.client = 4}));
  job_slots_.finish(2, 0);
  EXPECT_TRUE(job_slots_.is_idle({.client = 4, .memory = 100}));
  available_ = 100;
  EXPECT_FALSE(job_slots_.is_idle({.client = 4, .memory = 101}));
}

TEST_F(SlotsOfEight, AreFreeForThoseWhoWaitBehindOneWhoseToolHasNone) {
  const Waiter other;
  ASSERT_TRUE(start_first(1));
  ASSERT_TRUE(start_further(1));
  ASSERT_FALSE(start_further(1));
  for (pid_t client = 3; client < 9; ++client) ASSERT_TRUE(start_first(client));
  ASSERT_FALSE(job_slots_.start(false, {.client = 3, .wake_fd = other.fd()}));
  job_slots_.finish(8, 0);
  EXPECT_TRUE(other.was_woken());
  EXPECT_FALSE(waiter_.was_woken());
}

TEST_F(SlotsOfEight, AreFreeOnlyWhileThereIsMemory) {
  available_ = 100;
  EXPECT_TRUE(job_slots_.start(true, {.client = 3, .memory = 1000})) << "the first one always runs";
  EXPECT_FALSE(start_further(3, 1));
  job_slots_.finish(3, 1000);
  ASSERT_TRUE(job_slots_.start(true, {.client = 3, .memory = 60}));
  EXPECT_FALSE(start_further(3, 41));
  EXPECT_TRUE(start_further(3, 40));
  EXPECT_TRUE(start_further(3, 0)) << "what is not known is taken for little";
}

TEST(JobSlots, CountTheProcessorsThatMayBeUsed) { EXPECT_GE(usable_processors(), 1u); }

}  // namespace
}  // namespace hipcache::daemon
