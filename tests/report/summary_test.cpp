#include "hipcache/report/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/events_made.h"

namespace hipcache::report {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const StepRow& row(const Summary& summary, const std::string& name) {
  static const StepRow kNone;
  for (const StepRow& row : summary.steps)
    if (row.name == name) return row;
  ADD_FAILURE() << "no row " << name;
  return kNone;
}

TEST(Summary, CountsRequestsAndTheRateThatTheStatisticsCount) {
  LogMaker log;
  log.request(1, 1, "hit", "a.o").request(2, 1, "hit", "b.o").request(3, 1, "partial", "c.o");
  log.request(4, 1, "miss", "d.o").request(5, 1, "miss", "e.o");
  log.last().exit_code = 1;
  log.request(6, 1, "passthrough", "f.o");
  log.last().reason = "not-a-compiler";
  log.last().detail = "frob";
  log.request(7, 1, "aborted", "g.o");
  const Summary summary = summary_of(build_of(log.log(), std::nullopt), {});
  EXPECT_EQ(summary.outcomes.all(), 7u);
  EXPECT_EQ(summary.outcomes.failed, 1u);
  EXPECT_EQ(summary.outcomes.aborted, 1u);
  EXPECT_EQ(summary.outcomes.rate().whole_hits, 2u);
  EXPECT_EQ(summary.outcomes.rate().requests, 4u);
  EXPECT_EQ(summary.bypasses.at("not-a-compiler"), 1u);
  EXPECT_EQ(summary.bypass_example.at("not-a-compiler"), "f.o: frob");
}

TEST(Summary, ShowsABypassOfACommandWithoutFilesByItsDetail) {
  LogMaker log;
  log.request(1, 1, "passthrough", "");
  log.last().source = "";
  log.last().reason = "driver-information";
  log.last().detail = "--version";
  const Summary summary = summary_of(build_of(log.log(), std::nullopt), {});
  EXPECT_EQ(summary.bypass_example.at("driver-information"), "--version");
}

TEST(Summary, CountsStepsByArchitectureAlsoOfRequestsThatWereFoundAsAWhole) {
  LogMaker log;
  log.request(1, 1, "hit", "a.o");
  log.last().steps = {"gfx906", "gfx90a:xnack+", "bundle", "host"};
  log.last().saved_us = 100;
  log.step(2, 10, "run", "device", "gfx906").step(2, 20, "failed", "device", "gfx1030").step(2, 1, "hit", "host");
  log.request(2, 30, "miss", "b.o");
  const Build build = build_of(log.log(), std::nullopt);
  const Summary summary = summary_of(build, {});
  EXPECT_EQ(row(summary, "gfx906").hit, 1u);
  EXPECT_EQ(row(summary, "gfx906").run, 1u);
  EXPECT_EQ(row(summary, "gfx906").run_us, 10u);
  EXPECT_TRUE(row(summary, "gfx90a:xnack+").is_arch);
  EXPECT_EQ(row(summary, "gfx1030").failed, 1u);
  EXPECT_EQ(row(summary, "host").hit, 2u);
  EXPECT_FALSE(row(summary, "host").is_arch);
  EXPECT_TRUE(summary.steps.front().is_arch);
  EXPECT_EQ(summary.run_us, 30u);
  EXPECT_EQ(summary.saved_us, 100u);
}

// As the statistics do: hipcache/stats/hit_rate.h.
TEST(Summary, RatesStepsThatMakeSomethingAndNoFailedCompile) {
  LogMaker log;
  log.request(1, 1, "hit", "a.o");
  log.last().steps = {"gfx906", "front-end", "bundle", "host"};
  log.step(2, 1, "hit", "probe").step(2, 1, "run", "front-end", "gfx906").step(2, 1, "run", "back-end", "gfx906");
  log.step(2, 1, "hit", "device", "gfx1030").step(2, 1, "run", "bundle").step(2, 1, "hit", "host");
  log.request(2, 30, "partial", "b.o");
  log.step(3, 1, "hit", "device", "gfx906").step(3, 1, "failed", "host");
  log.request(3, 30, "miss", "failed.o");
  log.last().exit_code = 1;
  log.step(4, 1, "run", "host");
  log.request(4, 1, "passthrough", "c.o");
  const Build build = build_of(log.log(), std::nullopt);
  const Summary summary = summary_of(build, {});
  const stats::HitRate rate = summary.outcomes.rate();
  EXPECT_EQ(rate.counts(), "4 of 5 steps, 1 of 2 requests as a whole");
  ASSERT_EQ(summary.directories.size(), 1u);
  EXPECT_EQ(summary.directories[0].outcomes.rate().percent(), 80);
}

TEST(Summary, CountsAnOpaqueCompileOnceHoweverItWasServed) {
  LogMaker log;
  const auto opaque = [&](const std::string& outcome) {
    log.request(1, 5, outcome, "a.o");
    log.last().kind = "compile";
    log.last().bytes = 70;
  };
  opaque("hit");  // found as a whole
  log.step(1, 1, "hit", "compile");
  opaque("hit");  // found after another client had made it
  log.step(1, 4, "run", "compile");
  opaque("miss");
  const Build build = build_of(log.log(), std::nullopt);
  const Summary summary = summary_of(build, {});
  ASSERT_EQ(summary.steps.size(), 1u);
  EXPECT_EQ(row(summary, "compile").hit, 2u);
  EXPECT_EQ(row(summary, "compile").run, 1u);
  EXPECT_EQ(row(summary, "compile").bytes, 70u);
  EXPECT_EQ(summary.outcomes.rate().counts(), "2 of 3 steps, 2 of 3 requests as a whole");
}

TEST(Summary, ListsTheCostliestRunsFirstAndNoHit) {
  LogMaker log;
  log.step(1, 5, "run", "host").step(1, 50, "run", "device", "gfx906").step(1, 500, "hit", "bundle");
  log.request(1, 60, "miss", "a.o");
  const Build build = build_of(log.log(), std::nullopt);
  const Summary summary = summary_of(build, {});
  ASSERT_EQ(summary.misses.size(), 2u);
  EXPECT_EQ(summary.misses[0].label, "device gfx906");
  EXPECT_EQ(summary.misses[0].object, "a.o");
  EXPECT_EQ(summary.misses[1].label, "host");
}

TEST(Summary, IsBoundedAndSaysOfHowMany) {
  LogMaker log;
  for (std::uint64_t i = 0; i < 2 * kMostMisses; ++i)
    log.step(i, i, "run", "host").request(i, i, "miss", "d" + std::to_string(i) + "/a.o");
  const Build build = build_of(log.log(), std::nullopt);
  const Summary summary = summary_of(build, {});
  EXPECT_EQ(summary.misses.size(), kMostMisses);
  EXPECT_EQ(summary.all_misses, 2 * kMostMisses);
  EXPECT_EQ(summary.directories.size(), std::min(kMostDirectories, 2 * kMostMisses));
  EXPECT_EQ(summary.directories.front().directory, "/build/d199");
}

TEST(Summary, CountsRunsWithAWrapperHeader) {
  LogMaker log;
  log.step(1, 5, "run", "host").step(2, 5, "run", "device", "gfx906");
  log.last_step().header_saved_us = 300;
  log.request(1, 60, "miss", "a.o");
  const Build build = build_of(log.log(), std::nullopt);
  const Summary summary = summary_of(build, {});
  EXPECT_EQ(summary.with_header.steps, 1u);
  EXPECT_EQ(summary.with_header.saved_us, 300u);
  EXPECT_NE(to_html(build, summary).find("spared by wrapper headers in 1 of them"), std::string::npos);
  EXPECT_NE(to_markdown(summary).find("1 of the steps that ran used a wrapper header"), std::string::npos);
  EXPECT_NE(to_json(summary).find("\"processor_saved_us\": 300"), std::string::npos);
}

TEST(Summary, SaysWhichSizeWouldHaveKeptWhatWasEvicted) {
  LogMaker log;
  log.step(1, 5, "run", "host");
  log.last_step().is_gone = true;
  log.request(1, 60, "miss", "a.o");
  for (int i = 0; i < 2; ++i)
    log.event(events::EvictionEvent{
        .time_us = kStart + kSecond, .values = 3, .bytes = 1'000'000'000, .max_size = 20'000'000'000});
  const Summary summary = summary_of(build_of(log.log(), std::nullopt), {});
  EXPECT_EQ(summary.evicted.values, 6u);
  EXPECT_EQ(summary.evicted.bytes, 2'000'000'000u);
  EXPECT_EQ(summary.evicted.advice, "25G");
  EXPECT_EQ(summary.evicted.gone_steps, 1u);
  EXPECT_EQ(summary.evicted.gone_us, 5u);
  EXPECT_EQ(summary_of(build_of({}, std::nullopt), {}).evicted.advice, "");
}

TEST(AdvisedSize, IsLargerAndRound) {
  EXPECT_EQ(advised_size(100'000'000, 1), "120M");
  EXPECT_EQ(advised_size(1'000'000, 1'000'000), "3M");
  EXPECT_EQ(advised_size(5'000'000'000, 100'000'000), "5700M");
  EXPECT_EQ(advised_size(20'000'000'000, 20'000'000'000), "45G");
}

TEST(Summary, CountsWhyResultsWereNotStored) {
  LogMaker log;
  log.step(1, 5, "run", "host");
  log.last_step().not_stored = "input-changed: a.h";
  log.request(1, 60, "miss", "a.o");
  const Summary summary = summary_of(build_of(log.log(), std::nullopt), {});
  EXPECT_EQ(summary.not_stored.at("input-changed"), 1u);
  EXPECT_EQ(summary.not_stored_example.at("input-changed"), "a.o: host: a.h");
  EXPECT_THAT(summary.bypasses, IsEmpty());
}

TEST(Summary, CountsWhatCameOfTheStepsThatWereSentToAnEngine) {
  LogMaker log;
  const auto sent = [&](const events::AtEngine& engine) {
    log.step(1, 5, "run", "device", "gfx906").last_step().engine = engine;
  };
  sent({});
  sent({.outcome = "won", .bytes_sent = 1, .bytes_received = 2, .queue_us = 3, .staging_us = 4, .execution_us = 5});
  sent(
      {.outcome = "won", .bytes_sent = 10, .bytes_received = 20, .queue_us = 30, .staging_us = 40, .execution_us = 50});
  sent({.outcome = "lost"});
  sent({.outcome = "audited", .execution_us = 7});
  sent({.outcome = "failed", .reason = "no-worker-in-time"});
  sent({.outcome = "not-proved", .reason = "absent-there", .detail = "/usr/a.h", .bytes_sent = 7, .execution_us = 7});
  log.request(1, 60, "miss", "a.o");
  const stats::Executed executed = summary_of(build_of(log.log(), std::nullopt), {}).executed;
  EXPECT_EQ(executed.sent, 6u);
  EXPECT_EQ(executed.won, 2u);
  EXPECT_EQ(executed.lost, 1u);
  EXPECT_EQ(executed.not_proved, 1u);
  EXPECT_EQ(executed.failed, 1u);
  EXPECT_EQ(executed.why.at("no-worker-in-time"), 1u);
  EXPECT_EQ(executed.why_detail.at("absent-there"), "a.o: device gfx906: /usr/a.h");
  EXPECT_EQ(executed.bytes_sent, 11u) << "of the results that were taken";
  EXPECT_EQ(executed.bytes_received, 22u);
  EXPECT_EQ(executed.queue_us, 33u);
  EXPECT_EQ(executed.staging_us, 44u);
  EXPECT_EQ(executed.execution_us, 55u);
}

}  // namespace
}  // namespace hipcache::report
