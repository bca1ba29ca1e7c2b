#include "hipcache/stats/report.h"

#include <gmock/gmock.h>

#include "hipcache/stats/counters.h"

namespace hipcache::stats {
namespace {

using ::testing::HasSubstr;

std::string text_of(const Snapshot& counts) {
  const auto text = to_text(counts.to_json(1200, 34, 5 << 20, 3 << 20));
  EXPECT_TRUE(text);
  return text ? *text : "";
}

TEST(Report, ShowsWhatCameFromOtherStoresWhereThereAreSome) {
  Snapshot counts;
  EXPECT_THAT(text_of(counts), testing::Not(HasSubstr("Other stores")));
  counts.layers = 2, counts.taken_over = 17;
  EXPECT_THAT(text_of(counts), HasSubstr("Other stores read                      2"));
  EXPECT_THAT(text_of(counts), HasSubstr("Results taken from them               17"));
}

TEST(Report, ShowsEveryNumberAlignedAndWithItsShare) {
  Snapshot counts;
  counts.compile_requests = 204;
  counts.hit = 150, counts.partial = 20, counts.miss = 20, counts.passthrough = 10, counts.aborted = 4;
  counts.not_cached = {{"linking", 3}, {"preprocessing only", 7}};
  counts.not_stored = {{"an input changed", 2}};
  counts.not_stored_detail = {{"an input changed", "a.o: host: b.h"}};
  counts.device = {{"gfx906", {90, 10}}, {"gfx1030", {0, 100}}};
  counts.host = {30, 10};
  counts.front = {0, 5}, counts.back = {4, 1};
  counts.failed_compiles = 1, counts.waited_steps = 5, counts.errors = 0, counts.evicted = 6, counts.corrupt = 7;
  counts.time_saved_us = 3725u * 1000000;
  const std::string text = text_of(counts);
  EXPECT_EQ(text.substr(text.find('\n') + 1),
            "Compile requests                       204\n"
            "  Hits                                 150  73.5 %\n"
            "  Partial hits                          20   9.8 %\n"
            "  Misses                                20   9.8 %\n"
            "  Passed through                        10   4.9 %\n"
            "    preprocessing only                   7\n"
            "    linking                              3\n"
            "  Given up by the client                 4   2.0 %\n"
            "  Failed compiles                        1\n"
            "Time saved                       1 h 2 min\n"
            "Errors of the cache                      0\n"
            "Steps, of them from the cache\n"
            "  Device                               200  45.0 % 110 run\n"
            "    gfx1030                            100   0.0 % 100 run\n"
            "    gfx906                             100  90.0 % 10 run\n"
            "    Front end                            5   0.0 % 5 run\n"
            "    Back end                             5  80.0 % 1 run\n"
            "    Back end audited                     0\n"
            "  Host                                  40  75.0 % 10 run\n"
            "  Bundle                                 0\n"
            "  Unbundle                               0\n"
            "  Link                                   0\n"
            "  Archive                                0\n"
            "  Probe                                  0\n"
            "  Proof of deferred fatbin               0\n"
            "  Proof of codegen split                 0\n"
            "  Waited for another client              5\n"
            "  Run and not stored                     2\n"
            "    an input changed                     2 last: a.o: host: b.h\n"
            "Store\n"
            "  Actions                             1200\n"
            "  Blobs                                 34\n"
            "  Values                           5.0 MiB\n"
            "  On disk                          3.0 MiB\n"
            "  Evicted                                6\n"
            "  Dropped as damaged                     7\n");
}

TEST(Report, ShowsAuditsOfHitsIfThereAreAny) {
  Snapshot counts;
  EXPECT_EQ(text_of(counts).find("Hits audited"), std::string::npos);
  counts.audited_hits = {.hits = 12, .differences = 1, .void_audits = 2, .skipped = 3};
  EXPECT_THAT(text_of(counts), testing::ContainsRegex("Hits audited +12\n  Found wrong +1\n"
                                                      "  Void +2\n  Skipped +3\nStore\n"));
}

TEST(Report, SaysSinceWhenItCounts) {
  Snapshot counts;
  EXPECT_THAT(text_of(counts), HasSubstr("Statistics since the beginning\n"));
  counts.since = 1700000000;
  EXPECT_THAT(text_of(counts), HasSubstr("Statistics since 2023-11-1"));
}

TEST(Report, ShowsNoShareOfNothing) { EXPECT_EQ(text_of(Snapshot()).find('%'), std::string::npos); }

TEST(Report, ShowsShortTimesInSeconds) {
  Snapshot counts;
  counts.time_saved_us = 1250000;
  EXPECT_THAT(text_of(counts), HasSubstr("1.2 s"));
  counts.time_saved_us = 61u * 1000000;
  EXPECT_THAT(text_of(counts), HasSubstr("1 min 1 s"));
}

TEST(Report, IsAnErrorForTextThatIsNoStatistics) {
  EXPECT_FALSE(to_text("hello"));
  const auto wrong = to_text(R"({"store": {"blobs": "many"}})");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "statistics: store.blobs is a JSON string, not a count");
}

}  // namespace
}  // namespace hipcache::stats
