#include "daemon/shared/preambles.h"

#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "support/memory_store.h"

namespace hipcache::daemon {
namespace {

using namespace std::chrono_literals;

class PreamblesTest : public testing::Test {
 protected:
  static Preambles::Names names(const std::string& step, const std::string& source = "s",
                                const std::string& group = "g") {
    return {digest_of(step), digest_of(source), digest_of(group), digest_of("header")};
  }

  using Turn = Preambles::Turn;
  Turn turn(bool is_forced = false, std::size_t units_to_come = 0) {
    return preambles_.turn(kKey, is_forced, [&] { return units_to_come; }, now_);
  }
  void pass(Preambles::Clock::duration time) { now_ += time; }
  // A job of the key ends that has taken so long, that long after the last one.
  void run(std::chrono::microseconds time, Preambles::Clock::duration later = 1s) {
    pass(later);
    Preambles::Names job = names("step");
    job.header = kKey;
    preambles_.note_plain_run(job, {.plain_us = static_cast<std::uint64_t>(time.count())}, now_);
  }

  const Digest kKey = digest_of("key");
  Preambles::Clock::time_point now_ = Preambles::Clock::now();
  support::MemoryStore store_;
  Log log_;
  Preambles preambles_{store_, log_};
};

TEST_F(PreamblesTest, FromTheThirdJobOnAClientIsAskedToMakeTheHeaderInIdleTime) {
  EXPECT_EQ(turn(), Turn::none);
  EXPECT_FALSE(preambles_.takes_over(kKey));
  EXPECT_EQ(turn(), Turn::none);
  EXPECT_EQ(turn(), Turn::in_idle_time);
  EXPECT_EQ(turn(), Turn::none) << "one was asked";
  EXPECT_TRUE(preambles_.takes_over(kKey));
  EXPECT_FALSE(preambles_.takes_over(kKey)) << "another makes it";
  preambles_.note_left(kKey);
  EXPECT_TRUE(preambles_.takes_over(kKey)) << "the client that made it has left";
  preambles_.note_made(kKey, 1'000);
  EXPECT_FALSE(preambles_.takes_over(kKey));
}

TEST_F(PreamblesTest, IfNothingComesOfItAnotherClientIsAskedLater) {
  for (int job = 0; job < 3; ++job) turn();
  pass(Preambles::kWaitsAtMost - 1s);
  EXPECT_EQ(turn(), Turn::none);
  pass(1s);
  EXPECT_EQ(turn(), Turn::in_idle_time);
}

TEST_F(PreamblesTest, AFewClientsWaitForIdleTime) {
  for (int job = 0; job < 2; ++job) turn();
  {
    std::vector<Preambles::Waiting> waiting;
    for (unsigned count = 0; count < Preambles::kMostWaiting; ++count)
      waiting.push_back(preambles_.begin_waiting().value());
    EXPECT_FALSE(preambles_.begin_waiting());
    EXPECT_EQ(turn(), Turn::none);
  }
  EXPECT_EQ(turn(), Turn::in_idle_time);
  EXPECT_TRUE(preambles_.begin_waiting());
}

TEST_F(PreamblesTest, OneClientMakesHeadersInIdleTime) {
  const std::unique_lock first = preambles_.turn_in_idle_time();
  EXPECT_TRUE(first);
  std::thread([&] { EXPECT_FALSE(preambles_.turn_in_idle_time()); }).join();
}

// 3 % of the least job's time, of which a header takes as much as three.
TEST_F(PreamblesTest, WithoutIdleTimeAJobMakesItOnceThatCostsNoBuildMuch) {
  int jobs = 0;
  for (; turn() != Turn::at_once && jobs < 1'000; ++jobs) run(1s);
  EXPECT_EQ(jobs, 101);
  EXPECT_EQ(turn(), Turn::none) << "it is made now";
}

TEST_F(PreamblesTest, WhatAHeaderCostsIsKnownFromTheLastOne) {
  preambles_.note_made(digest_of("another key"), 1'500'000);
  int jobs = 0;
  for (; turn() != Turn::at_once && jobs < 1'000; ++jobs) run(1s);
  EXPECT_EQ(jobs, 51);
}

TEST_F(PreamblesTest, BeforeOneWasMadeItCountsAsHalfASecondAtLeast) {
  for (int job = 0; job < 1'000; ++job) {
    EXPECT_NE(turn(), Turn::at_once);
    run(4ms);
  }
}

// Many jobs at once: a header would hold up the last of them.
TEST_F(PreamblesTest, ABuildThatHasNotTakenLongMakesNone) {
  for (int job = 0; job < 1'000; ++job) {
    EXPECT_NE(turn(), Turn::at_once);
    run(1s, 1ms);
  }
}

TEST_F(PreamblesTest, WhatEarlierBuildsCostDoesNotCount) {
  for (int job = 0; job < 90; ++job) run(1s);
  pass(Preambles::kBetweenBuilds);
  EXPECT_NE(turn(), Turn::at_once);
  int jobs = 0;
  for (; turn() != Turn::at_once && jobs < 1'000; ++jobs) run(1s);
  EXPECT_EQ(jobs, 101);
}

TEST_F(PreamblesTest, TheFirstJobOfABuildOfManyUnitsMakesIt) {
  EXPECT_EQ(turn(false, Preambles::kFewestUnits - 1), Turn::none);
  EXPECT_EQ(turn(false, 100), Turn::none) << "the first job decides";
  pass(Preambles::kBetweenBuilds);
  EXPECT_EQ(turn(false, Preambles::kFewestUnits), Turn::at_once);
  EXPECT_EQ(turn(false, 100), Turn::none) << "it is made now";
}

TEST_F(PreamblesTest, TheFirstJobMakesTheHeaderIfItIsForced) {
  EXPECT_EQ(turn(true), Turn::at_once);
  EXPECT_EQ(turn(true), Turn::none);
}

TEST_F(PreamblesTest, AHeaderIsLookedUpOnceAndWhenItWasMade) {
  EXPECT_TRUE(preambles_.may_be_stored(kKey));
  preambles_.note_absent(kKey);
  EXPECT_FALSE(preambles_.may_be_stored(kKey));
  preambles_.note_made(kKey, 0);
  EXPECT_TRUE(preambles_.may_be_stored(kKey));
}

TEST_F(PreamblesTest, AHeaderThatCannotBeMadeIsNotTriedAgain) {
  ASSERT_EQ(turn(true), Turn::at_once);
  preambles_.note_vain(kKey, "the compiler prints");
  EXPECT_EQ(turn(true), Turn::none);
  EXPECT_FALSE(preambles_.may_be_stored(kKey));
  EXPECT_EQ(preambles_.why_vain(kKey), "the compiler prints");
}

TEST_F(PreamblesTest, ARefutationHoldsForAllDaemonsOfTheStore) {
  const Digest header = digest_of("header");
  EXPECT_FALSE(preambles_.is_refuted(header));
  preambles_.refute(header, "another object");
  EXPECT_TRUE(preambles_.is_refuted(header));
  EXPECT_TRUE(Preambles(store_, log_).is_refuted(header));
  EXPECT_FALSE(Preambles(store_, log_).is_refuted(digest_of("another header")));
}

TEST_F(PreamblesTest, AJobTakesWhatItTookElseWhatItsSourceDidElseWhatTheGroupDid) {
  EXPECT_EQ(preambles_.expected_us(names("a")), 0u);
  for (const std::uint64_t us : {100, 300, 200})
    preambles_.note_plain_run(names("step " + std::to_string(us), "other"), {.plain_us = us});
  EXPECT_EQ(preambles_.expected_us(names("a")), 200u) << "the median";
  preambles_.note_plain_run(names("gfx906"), {.plain_us = 4'000});
  EXPECT_EQ(preambles_.expected_us(names("gfx1030")), 4'000u);
  preambles_.note_plain_run(names("a"), {.plain_us = 9'000});
  EXPECT_EQ(preambles_.expected_us(names("a")), 9'000u);
  EXPECT_EQ(Preambles(store_, log_).expected_us(names("a")), 9'000u) << "the next daemon knows it";
  EXPECT_EQ(preambles_.expected_us(names("b", "c", "another group")), 0u);
}

TEST_F(PreamblesTest, RemembersAJobThatPrints) {
  preambles_.note_plain_run(names("a"), {.plain_us = 1'000, .prints = true});
  EXPECT_TRUE(preambles_.job(digest_of("a")).prints);
  preambles_.note_plain_run(names("a"), {.plain_us = 1'000, .prints = false});
  EXPECT_FALSE(preambles_.job(digest_of("a")).prints);
  EXPECT_FALSE(PreambleJob::decode("damaged").ok());
}

TEST_F(PreamblesTest, TheLastOrderOfAsManyDeclarationsIsTheUsualOne) {
  EXPECT_TRUE(preambles_.usual_order(false, 3).empty());
  preambles_.note_order(false, {2, 0, 1});
  EXPECT_EQ(preambles_.usual_order(false, 3), (std::vector<std::size_t>{2, 0, 1}));
  EXPECT_TRUE(preambles_.usual_order(false, 2).empty());
  EXPECT_TRUE(preambles_.usual_order(true, 3).empty());
}

}  // namespace
}  // namespace hipcache::daemon
