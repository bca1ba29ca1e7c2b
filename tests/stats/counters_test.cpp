#include "hipcache/stats/counters.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace hipcache::stats {
namespace {

TEST(Counters, CountEachRequestOnceAndByItsOutcome) {
  Counters counters;
  counters.request(Outcome::hit);
  counters.request(Outcome::hit);
  counters.request(Outcome::partial);
  counters.request(Outcome::miss);
  counters.request(Outcome::passthrough);
  counters.request(Outcome::aborted);
  const Snapshot counts = counters.snapshot();
  EXPECT_EQ(counts.compile_requests, 6u);
  EXPECT_EQ(counts.hit, 2u);
  EXPECT_EQ(counts.partial, 1u);
  EXPECT_EQ(counts.miss, 1u);
  EXPECT_EQ(counts.passthrough, 1u);
  EXPECT_EQ(counts.aborted, 1u);
}

TEST(Counters, KeepTheLastDetailOfEachReasonAndBoundIt) {
  Counters counters;
  counters.not_stored("changed", "a.o: first.h");
  counters.not_stored("changed",
                      "a.o: \x01"
                      "base\x01/second.h");
  counters.not_stored("changed");
  counters.not_stored("other", std::string(1000, 'x') + "/end.h");
  const Snapshot counts = counters.snapshot();
  EXPECT_EQ(counts.not_stored.at("changed"), 3u);
  EXPECT_EQ(counts.not_stored_detail.at("changed"), "a.o: <base directory>/second.h");
  EXPECT_EQ(counts.not_stored_detail.at("other").size(), kMaxDetail);
  EXPECT_TRUE(counts.not_stored_detail.at("other").ends_with("/end.h"));
}

TEST(Counters, NameReasonsWithoutControlCharacters) {
  Counters counters;
  counters.not_cached("a\nb");
  EXPECT_EQ(counters.snapshot().not_cached.at("a\\nb"), 1u);
}

TEST(Counters, CountStepsByKindAndArch) {
  Counters counters;
  counters.device("gfx906", true);
  counters.device("gfx906", false);
  counters.device("gfx1030", false);
  counters.host(true);
  counters.bundle(false);
  counters.unbundle(true);
  counters.link(false);
  counters.archive(true);
  counters.probe(true);
  counters.proof(false);
  counters.front(false);
  counters.back(true);
  const Snapshot counts = counters.snapshot();
  EXPECT_EQ(counts.device.at("gfx906").hit, 1u);
  EXPECT_EQ(counts.device.at("gfx906").run, 1u);
  EXPECT_EQ(counts.device.at("gfx1030").run, 1u);
  EXPECT_EQ(counts.host.hit, 1u);
  EXPECT_EQ(counts.bundle.run, 1u);
  EXPECT_EQ(counts.unbundle.hit, 1u);
  EXPECT_EQ(counts.link.run, 1u);
  EXPECT_EQ(counts.archive.hit, 1u);
  EXPECT_EQ(counts.probe.hit, 1u);
  EXPECT_EQ(counts.proof.run, 1u);
  EXPECT_EQ(counts.front.run, 1u);
  EXPECT_EQ(counts.front.hit, 0u);
  EXPECT_EQ(counts.back.hit, 1u);
}

TEST(Counters, CountReasonsAndTheRest) {
  Counters counters;
  counters.not_cached("preprocessing only");
  counters.not_cached("preprocessing only");
  counters.not_stored("an input changed");
  counters.failed_compile();
  counters.waited();
  counters.error();
  counters.saved(1500, 3000);
  counters.saved(500, 400);
  counters.rated({.hit = 3, .run = 1});
  counters.rated({.run = 2});
  const Snapshot counts = counters.snapshot();
  EXPECT_EQ(counts.not_cached.at("preprocessing only"), 2u);
  EXPECT_EQ(counts.not_stored.at("an input changed"), 1u);
  EXPECT_EQ(counts.failed_compiles, 1u);
  EXPECT_EQ(counts.waited_steps, 1u);
  EXPECT_EQ(counts.errors, 1u);
  EXPECT_EQ(counts.time_saved_us, 2000u);
  EXPECT_EQ(counts.processor_saved_us, 3400u);
  EXPECT_EQ(counts.rated.hit, 3u);
  EXPECT_EQ(counts.rated.run, 3u);
}

TEST(Counters, CountWhatCameOfStepsThatWereSent) {
  Counters counters;
  for (int step = 0; step < 4; ++step) counters.executed_sent();
  counters.executed_won({.bytes_sent = 1, .execution_us = 2});
  counters.executed_lost();
  counters.executed_in_vain(true, "variable-not-sent", "a.o: device: CPATH", "CPATH");
  counters.executed_in_vain(true, "absent-there", "a.o: device: /usr/a.h", "/usr/a.h");
  counters.executed_in_vain(false, "engine-lost-it", "a.o: device: /not/a/file", "/not/a/file");
  const Executed executed = counters.snapshot().executed;
  EXPECT_EQ(executed.sent, 4u);
  EXPECT_EQ(executed.won, 1u);
  EXPECT_EQ(executed.execution_us, 2u);
  EXPECT_EQ(executed.lost, 1u);
  EXPECT_EQ(executed.not_proved, 2u);
  EXPECT_EQ(executed.failed, 1u);
  EXPECT_EQ(executed.why.size(), 3u);
  EXPECT_EQ(executed.paths, (std::map<std::string, std::uint64_t>{{"/usr/a.h", 1}})) << "of results alone";
}

TEST(Counters, TellOnlySoManyReasonsApart) {
  Counters counters;
  for (std::size_t i = 0; i < kMaxNames + 10; ++i) counters.not_cached("reason " + std::to_string(i));
  counters.not_cached("reason 0");
  const Snapshot counts = counters.snapshot();
  EXPECT_EQ(counts.not_cached.size(), kMaxNames + 1);
  EXPECT_EQ(counts.not_cached.at("other"), 10u);
  EXPECT_EQ(counts.not_cached.at("reason 0"), 2u);
}

TEST(Counters, AreDirtyAfterAnyCountAndOnce) {
  Counters counters;
  EXPECT_FALSE(counters.take_dirty());
  counters.host(true);
  EXPECT_TRUE(counters.take_dirty());
  EXPECT_FALSE(counters.take_dirty());
  counters.zero();
  EXPECT_TRUE(counters.take_dirty());
}

TEST(Counters, GoOnFromWhatIsRestored) {
  Counters counters;
  Snapshot earlier;
  earlier.compile_requests = 10;
  earlier.hit = 10;
  earlier.since = 42;
  counters.restore(earlier);
  EXPECT_FALSE(counters.take_dirty());
  counters.request(Outcome::hit);
  EXPECT_EQ(counters.snapshot().hit, 11u);
  EXPECT_EQ(counters.snapshot().since, 42u);
}

TEST(Counters, ZeroedStartAgainFromNow) {
  Counters counters;
  Snapshot earlier;
  earlier.compile_requests = 10;
  earlier.since = 42;
  counters.restore(earlier);
  counters.zero();
  EXPECT_EQ(counters.snapshot().compile_requests, 0u);
  EXPECT_GT(counters.snapshot().since, 42u);
}

TEST(Counters, LoseNothingWhenManyThreadsCount) {
  Counters counters;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 1000; ++n) {
        counters.request(Outcome::hit);
        counters.device("gfx906", true);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(counters.snapshot().hit, 4000u);
  EXPECT_EQ(counters.snapshot().device.at("gfx906").hit, 4000u);
}

}  // namespace
}  // namespace hipcache::stats
