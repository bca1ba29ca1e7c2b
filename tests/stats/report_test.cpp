#include "hipcache/stats/report.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "hipcache/stats/counters.h"
#include "hipcache/stats/units.h"

namespace hipcache::stats {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string text_of(const Snapshot& counts, TextStyle style = {.all = true}) {
  const auto text = to_text(counts.to_json(1200, 34, 5'000'000, 3'000'000), style);
  EXPECT_TRUE(text);
  return text ? *text : "";
}

TEST(Report, OfFailedCompilesAloneSaysThatTheyDoNotCount) {
  Snapshot counts;
  counts.compile_requests = counts.miss = counts.failed_compiles = 3;
  for (const std::string& text : {text_of(counts), text_of(counts, {})}) {
    EXPECT_THAT(text, HasSubstr("nothing counts: failed compiles do not"));
    EXPECT_THAT(text, HasSubstr("3 of them failed to compile"));
  }
  EXPECT_THAT(text_of(Snapshot()), HasSubstr("nothing was looked up"));
}

TEST(Report, ShowsWhatCameFromOtherStoresWhereThereAreSome) {
  Snapshot counts;
  EXPECT_THAT(text_of(counts), Not(HasSubstr("Other stores")));
  counts.layers = 2, counts.taken_over = 17;
  EXPECT_THAT(text_of(counts), HasSubstr("Other stores read                    2"));
  EXPECT_THAT(text_of(counts), HasSubstr("Results taken from them             17"));
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
  counts.rated = {120, 120};
  counts.failed_compiles = 1, counts.wrappers = 4, counts.waited_steps = 5, counts.errors = 0, counts.evicted = 6,
  counts.corrupt = 7;
  counts.processor_saved_us = 3725u * 1000000;
  counts.directory = "/home/ada/.cache/hipcache", counts.max_bytes = 20'000'000'000;
  const std::string text = text_of(counts);
  EXPECT_EQ(text.substr(text.find('\n') + 1),
            "Hit rate                          50.0 %  120 of 240 steps, 150 of 189 requests as a whole\n"
            "Processor time saved           1 h 2 min\n"
            "Compile requests                     204\n"
            "  Hits                               150  73.5 %\n"
            "  Partial hits                        20   9.8 %\n"
            "  Misses                              20   9.8 %  1 of them failed to compile\n"
            "  Passed through                      10   4.9 %\n"
            "    preprocessing only                 7\n"
            "    linking                            3\n"
            "  Given up by the client               4   2.0 %\n"
            "  Failed compiles                      1\n"
            "Errors of the cache                    0\n"
            "Steps\n"
            "  Device                             200  45.0 % from the cache, 110 run\n"
            "    gfx1030                          100   0.0 % from the cache, 100 run\n"
            "    gfx906                           100  90.0 % from the cache, 10 run\n"
            "    Front end                          5   0.0 % from the cache, 5 run\n"
            "    Back end                           5  80.0 % from the cache, 1 run\n"
            "    Back end audited                   0\n"
            "  Host                                40  75.0 % from the cache, 10 run\n"
            "  Bundle                               0\n"
            "  Unbundle                             0\n"
            "  Link                                 0\n"
            "  Archive                              0\n"
            "  Probe                                0\n"
            "  Proof of deferred fatbin             0\n"
            "  Proof of codegen split               0\n"
            "  Wrappers run                         4\n"
            "  Waited for another client            5\n"
            "  Run and not stored                   2\n"
            "    an input changed                   2 last: a.o: host: b.h\n"
            "Store                                    /home/ada/.cache/hipcache\n"
            "  On disk                         3.0 MB   0.0 % of 20.0 GB\n"
            "  Values                          5.0 MB\n"
            "  Actions                           1200\n"
            "  Blobs                               34\n"
            "  Evicted                              6\n"
            "  Dropped as damaged                   7\n");
}

TEST(Report, ShowsOnOneScreenWhatPeopleLookAtFirst) {
  Snapshot counts;
  counts.compile_requests = 204;
  counts.hit = 150, counts.partial = 20, counts.miss = 24, counts.passthrough = 10;
  counts.not_cached = {{"linking", 3}, {"preprocessing only", 7}};
  counts.not_cached_detail = {{"linking", "a.out"}};
  counts.device = {{"gfx906", {90, 10}}, {"gfx1030", {0, 100}}};
  counts.host = {30, 10};
  counts.failed_compiles = 4;
  counts.rated = {120, 40};
  counts.processor_saved_us = 3725u * 1000000;
  counts.directory = "/cache", counts.max_bytes = 6'000'000;
  const std::string text = text_of(counts, {});
  EXPECT_EQ(text.substr(text.find('(')),
            "(-v shows all)\n"
            "Hit rate                     75.0 %  120 of 160 steps, 150 of 190 requests as a whole\n"
            "Processor time saved      1 h 2 min\n"
            "Compile requests                204\n"
            "  Hits                          150  73.5 %\n"
            "  Partial hits                   20   9.8 %\n"
            "  Misses                         24  11.8 %  4 of them failed to compile\n"
            "  Passed through                 10   4.9 %\n"
            "    preprocessing only            7\n"
            "    linking                       3 last: a.out\n"
            "Device steps                    200  45.0 % from the cache, 110 run\n"
            "  gfx1030                       100   0.0 % from the cache, 100 run\n"
            "  gfx906                        100  90.0 % from the cache, 10 run\n"
            "Host steps                       40  75.0 % from the cache, 10 run\n"
            "Store                               /cache\n"
            "  On disk                    3.0 MB  50.0 % of 6.0 MB\n");
}

TEST(Report, SaysWhatCameOfTheStepsThatWereSentToAnEngine) {
  Snapshot counts;
  EXPECT_THAT(text_of(counts), Not(HasSubstr("Remote execution")));
  counts.executed = {.sent = 40,
                     .won = 30,
                     .lost = 4,
                     .not_proved = 3,
                     .failed = 2,
                     .why = {{"absent-there", 3}, {"no-worker-in-time", 2}},
                     .why_detail = {{"absent-there", "a.o: device gfx906: /usr/a.h"}},
                     .paths = {{"/usr/a.h", 2}, {"/usr/b.h", 1}},
                     .bytes_sent = 5'000'000,
                     .bytes_received = 6'000'000,
                     .queue_us = 700'000,
                     .staging_us = 800'000,
                     .execution_us = 90'000'000};
  const std::string text = text_of(counts);
  EXPECT_EQ(text.substr(text.find("Remote execution")),
            "Remote execution\n"
            "  Steps sent                            40\n"
            "  Taken from workers                    30  75.0 %\n"
            "    Processor time saved here   1 min 30 s\n"
            "    Waited in the queue              0.7 s\n"
            "    Staged                           0.8 s\n"
            "    Sent                            5.0 MB\n"
            "    Received                        6.0 MB\n"
            "  Faster here                            4\n"
            "  Not proved                             3\n"
            "    /usr/a.h                             2\n"
            "    /usr/b.h                             1\n"
            "  Failed                                 2\n"
            "  Why not proved or failed\n"
            "    absent-there                         3 last: a.o: device gfx906: /usr/a.h\n"
            "    no-worker-in-time                    2\n"
            "  Found wrong by an audit                0\n");
  EXPECT_THAT(text_of(counts, {}),
              HasSubstr("Taken from workers             30  75.0 % of 40 sent, 1 min 30 s of processor time saved "
                        "here; 5 of no use: absent-there 3\n"));
}

TEST(Report, FitsOnOneScreenWhateverHappened) {
  Snapshot counts;
  counts.hit = counts.partial = counts.miss = counts.passthrough = counts.aborted = counts.failed_compiles = 9;
  for (int i = 0; i < 30; ++i) {
    const std::string name = std::to_string(i);
    counts.not_cached["reason" + name] = counts.not_stored["reason" + name] = counts.tied["reason" + name] = 5;
    counts.device["gfx" + name] = {1, 1};
    counts.remote.tiers.push_back({.url = "file:///" + name, .state = "paused"});
  }
  counts.host = counts.bundle = counts.link = counts.archive = counts.probe = counts.front = {1, 1};
  counts.errors = counts.evicted = counts.corrupt = counts.layers = counts.taken_over = counts.waited_steps = 3;
  counts.audited_hits = {.hits = 1, .differences = 1};
  counts.executed = {.sent = 9, .won = 4, .failed = 1, .why = {{"engine-failed", 1}}};
  const std::string text = text_of(counts, {});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 24) << text;
  EXPECT_THAT(text, HasSubstr("Further architectures"));
  EXPECT_THAT(text, HasSubstr("(and 29 more)"));
  const std::string all = text_of(counts);
  for (const char* only_there : {"gfx29", "file:///29", "Dropped as damaged", "Probe", "Hits audited"}) {
    EXPECT_THAT(all, HasSubstr(only_there));
    EXPECT_THAT(text, Not(HasSubstr(only_there)));
  }
}

TEST(RemoteStatistics, ShowResultsThatNoTrustedKeyHasSignedIfThereAreAny) {
  Snapshot counts;
  counts.remote.tiers = {{.url = "redis://cache.example", .state = "ok", .hits = 1, .misses = 9}};
  EXPECT_THAT(text_of(counts), Not(HasSubstr("signed")));
  counts.remote.tiers[0].not_signed = 3, counts.remote.tiers[0].untrusted = 4;
  EXPECT_THAT(text_of(counts), HasSubstr("of them not signed"));
  EXPECT_THAT(text_of(counts), HasSubstr("of them signed by no trusted key"));
}

TEST(Report, HasColoursOnlyWhereTheyAreAskedFor) {
  Snapshot counts;
  counts.errors = 2;
  EXPECT_EQ(text_of(counts, {}).find('\x1b'), std::string::npos);
  EXPECT_EQ(text_of(counts).find('\x1b'), std::string::npos);
  const std::string coloured = text_of(counts, {.colour = true});
  EXPECT_THAT(coloured, HasSubstr("\x1b[1mHit rate"));
  EXPECT_THAT(coloured, HasSubstr("\x1b[31mErrors of the cache"));
}

TEST(Report, ColoursWhatIsGoodAndWhatIsWorthALook) {
  Snapshot counts;
  counts.compile_requests = 4;
  counts.hit = 2, counts.partial = 1, counts.passthrough = 1;
  counts.not_cached = {{"stdin", 1}};
  counts.not_stored = {{"clock", 1}};
  counts.rated = {3, 1};
  counts.remote.tiers = {{.url = "http://a", .state = "ok"}};
  for (const bool all : {false, true}) {
    const std::string text = text_of(counts, {.all = all, .colour = true});
    for (const char* good : {"Hit rate", "  Hits", "  Partial hits", all ? "  http://a" : "Shared caches"})
      EXPECT_THAT(text, HasSubstr(std::string("\x1b[32m") + good));
    for (const char* doubtful : {"  Passed through", all ? "  Run and not stored" : "Run and not stored"})
      EXPECT_THAT(text, HasSubstr(std::string("\x1b[33m") + doubtful));
  }
  counts.rated = {1, 3};
  counts.remote.tiers[0].state = "paused";
  const std::string text = text_of(counts, {.colour = true});
  EXPECT_THAT(text, HasSubstr("\x1b[33mHit rate"));
  EXPECT_THAT(text, HasSubstr("\x1b[31mShared caches"));
}

TEST(Report, NamesTheRemedyOfAReason) {
  Snapshot counts;
  counts.not_stored = {{"clock", 2}};
  counts.not_stored_detail = {{"clock", "a.o: host: time"}};
  for (const bool all : {false, true})
    EXPECT_THAT(text_of(counts, {.all = all}), HasSubstr("set SOURCE_DATE_EPOCH, or do without __DATE__ and __TIME__; "
                                                         "last: a.o: host: time"));
}

TEST(Report, ShowsAuditsOfHitsIfThereAreAny) {
  Snapshot counts;
  EXPECT_EQ(text_of(counts).find("Hits audited"), std::string::npos);
  counts.audited_hits = {.hits = 12, .differences = 1, .void_audits = 2, .skipped = 3};
  EXPECT_THAT(text_of(counts), testing::ContainsRegex("Hits audited +12\n  Found wrong +1\n"
                                                      "  Void +2\n  Skipped +3\nStore\n"));
}

TEST(Report, ShowsHitsByTokensAndWhyTheyAreOff) {
  Snapshot counts;
  EXPECT_EQ(text_of(counts).find("Hits by tokens"), std::string::npos);
  counts.token_hits.served = 7;
  EXPECT_THAT(text_of(counts), testing::ContainsRegex("\nHits by tokens +7\nStore\n"));
  EXPECT_EQ(text_of(counts, {}).find("Hits by tokens"), std::string::npos);
  counts.token_hits.off = "a.o: host";
  for (const TextStyle& style : {TextStyle{}, TextStyle{.all = true}})
    EXPECT_THAT(text_of(counts, style),
                testing::ContainsRegex("\nHits by tokens are +off +found wrong: a.o: host\nStore"));
}

TEST(Report, SaysSinceWhenItCounts) {
  Snapshot counts;
  EXPECT_THAT(text_of(counts), HasSubstr("Statistics since the beginning\n"));
  counts.since = 1700000000;
  EXPECT_THAT(text_of(counts), HasSubstr("Statistics since 2023-11-1"));
}

TEST(Report, ShowsNoShareOfNothing) { EXPECT_EQ(text_of(Snapshot(), {}).find('%'), std::string::npos); }

TEST(Report, ShowsShortTimesInSeconds) {
  Snapshot counts;
  counts.processor_saved_us = 1250000;
  EXPECT_THAT(text_of(counts), HasSubstr("1.2 s"));
  counts.processor_saved_us = 61u * 1000000;
  EXPECT_THAT(text_of(counts), HasSubstr("1 min 1 s"));
}

TEST(Report, IsAnErrorForTextThatIsNoStatistics) {
  EXPECT_FALSE(to_text("hello"));
  const auto wrong = to_text(R"({"store": {"blobs": "many"}})");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "statistics: store.blobs is a JSON string, not a count");
}

std::string markdown_of(const Snapshot& counts) {
  const Result<std::string> text = to_markdown(counts.to_json(1200, 34, 5 << 20, 3 << 20));
  EXPECT_TRUE(text);
  return text ? *text : "";
}

TEST(Markdown, HasTablesOfRequestsArchitecturesAndSharedCaches) {
  Snapshot counts;
  counts.compile_requests = 4;
  counts.hit = 3, counts.miss = 1;
  counts.device = {{"gfx906", {3, 1}}, {"gfx90a:xnack+", {0, 2}}};
  counts.host = {3, 1};
  counts.rated = {6, 4};
  counts.processor_saved_us = 61u * 1000000;
  counts.remote.tiers = {{.url = "grpc://cache:9092",
                          .state = "ok",
                          .hits = 7,
                          .misses = 2,
                          .written = 5,
                          .bytes_read = 1 << 20,
                          .median_us = 1500}};
  const std::string text = markdown_of(counts);
  EXPECT_EQ(text.substr(0, text.find("\nThe local store")),
            "### hipcache\n"
            "\n"
            "**60.0 %** came from the cache: 6 of 10 steps, 3 of 4 requests as a whole. "
            "Processor time saved: 1 min 1 s.\n"
            "\n"
            "#### Requests\n"
            "\n"
            "| Requests | Number | Share |\n"
            "|---|---:|---:|\n"
            "| Hits | 3 | 75.0 % |\n"
            "| Misses | 1 | 25.0 % |\n"
            "\n"
            "#### Steps by architecture\n"
            "\n"
            "| Step | From the cache | Run | Share from the cache |\n"
            "|---|---:|---:|---:|\n"
            "| Device gfx906 | 3 | 1 | 75.0 % |\n"
            "| Device gfx90a:xnack\\+ | 0 | 2 | 0.0 % |\n"
            "| Host | 3 | 1 | 75.0 % |\n"
            "\n"
            "#### Shared caches\n"
            "\n"
            "| Shared cache | State | Found | Not found | Failed | Median | Read | Written | Writes failed |\n"
            "|---|---:|---:|---:|---:|---:|---:|---:|---:|\n"
            "| grpc://cache:9092 | ok | 7 | 2 | 0 | 1.5 ms | 1.0 MB | 0 B | 0 |\n");
  EXPECT_THAT(text, HasSubstr("The local store holds 1200 results in 3.1 MB."));
}

TEST(Markdown, HasATableOfRemoteExecutionAndItsReasons) {
  Snapshot counts;
  counts.executed = {.sent = 9,
                     .won = 5,
                     .lost = 1,
                     .not_proved = 2,
                     .failed = 1,
                     .why = {{"other-toolchain", 2}},
                     .why_detail = {{"other-toolchain", "/usr/bin/lld"}},
                     .execution_us = 2'000'000};
  EXPECT_THAT(markdown_of(counts), HasSubstr("| 9 | 5 | 1 | 2 | 1 | 2.0 s |\n"));
  EXPECT_THAT(markdown_of(counts), HasSubstr("| other-toolchain | 2 | /usr/bin/lld |\n"));
}

TEST(Markdown, KeepsWhatOthersWroteInItsCell) {
  Snapshot counts;
  counts.not_cached = {{"linking", 1}};
  counts.not_cached_detail = {{"linking", "a|b\n# <script> [x](y) `c` & d"}};
  const std::string text = markdown_of(counts);
  EXPECT_THAT(text, HasSubstr("| linking | 1 | a\\|b \\# &lt;script> \\[x\\]\\(y\\) \\`c\\` &amp; d |\n"));
}

TEST(Markdown, HasNoControlCharacter) {
  EXPECT_EQ(markdown_cell("a\x1b"
                          "b\xc2\x9b"
                          "c\xe2\x80\xae"
                          "d\xc3\xa4"),
            "a b c d\xc3\xa4");
}

TEST(Markdown, NamesTheRemedyOfAReason) {
  Snapshot counts;
  counts.not_stored = {{"clock", 2}};
  EXPECT_THAT(markdown_of(counts), HasSubstr("| clock \\(set SOURCE\\_DATE\\_EPOCH"));
}

TEST(Markdown, SaysThatNothingWasLookedUp) {
  EXPECT_THAT(markdown_of(Snapshot()), HasSubstr("Nothing was looked up."));
  EXPECT_THAT(markdown_of(Snapshot()), Not(HasSubstr("####")));
}

TEST(Markdown, IsAnErrorForTextThatIsNoStatistics) { EXPECT_FALSE(to_markdown("hello")); }

std::string some_statistics() {
  Snapshot counts;
  counts.compile_requests = 20;
  counts.hit = 12, counts.partial = 2, counts.miss = 4, counts.passthrough = 2;
  counts.failed_compiles = 1, counts.errors = 3;
  counts.not_cached = {{"stdin", 2}};
  counts.device = {{"gfx906", {12, 6}}};
  counts.host = {14, 4};
  counts.rated = {26, 10};
  counts.max_bytes = 20'000'000'000, counts.directory = "/cache", counts.since = 42;
  return counts.to_json(100, 34, 0, 200'000'000);
}

// As programs read them: the number after a name, and the whole after a slash.
TEST(OtherTools, CcachesTextHasItsLinesAndThenOurs) {
  const std::string text = as_ccache_text(some_statistics()).value();
  EXPECT_THAT(text, StartsWith("Cacheable calls:"));
  EXPECT_THAT(text, HasSubstr("Cacheable calls:             18 / 20 (90.00%)\n"
                              "  Hits:                      12 / 18 (66.67%)\n"
                              "    Direct:                  12 / 12 (100.00%)\n"
                              "    Preprocessed:             0 / 12 ( 0.00%)\n"
                              "  Misses:                     6 / 18 (33.33%)\n"
                              "Uncacheable calls:            2 / 20 (10.00%)\n"
                              "Local storage:\n"
                              "  Cache size (GB):         0.20 / 20.00 ( 1.00%)\n"));
  EXPECT_THAT(text, HasSubstr("72.2 %  26 of 36 steps, 12 of 17 requests as a whole"));
  EXPECT_THAT(text, HasSubstr("  gfx906"));
}

TEST(OtherTools, CcachesCountersAreLinesWithATabOrAnObject) {
  const std::string tab = as_ccache_counters(some_statistics(), CounterForm::tab).value();
  for (const char* line : {"direct_cache_hit\t12\n", "preprocessed_cache_hit\t0\n", "cache_miss\t5\n",
                           "compile_failed\t1\n", "cache_size_kibibyte\t195312\n", "stats_zeroed_timestamp\t42\n"})
    EXPECT_THAT(tab, HasSubstr(line));
  const json object = json::parse(as_ccache_counters(some_statistics(), CounterForm::json).value());
  EXPECT_EQ(object["direct_cache_hit"], 12);
  EXPECT_EQ(object["unsupported_compiler_option"], 2);
}

TEST(OtherTools, SccachesTextHasItsLinesEachOnce) {
  const std::string text = as_sccache_text(some_statistics()).value();
  for (const char* line : {"Compile requests +20", "Compile requests executed +18", "Cache hits +12", "Cache misses +6",
                           "Cache hits rate +72[.]22 %", "Non-cacheable calls +2", "Compilation failures +1"}) {
    EXPECT_THAT("\n" + text, testing::ContainsRegex("\n" + std::string(line) + "\n")) << text;
  }
  EXPECT_THAT(text, HasSubstr("  gfx906"));
}

TEST(OtherTools, SccachesJsonHasItsLayout) {
  const json root = json::parse(as_sccache_json(some_statistics(), "0.17.0").value());
  const json& stats = root["stats"];
  EXPECT_EQ(stats["compile_requests"], 20);
  EXPECT_EQ(stats["requests_executed"], 18);
  EXPECT_EQ(stats["requests_not_cacheable"], 2);
  EXPECT_EQ(stats["cache_hits"]["counts"], json({{"C/C++", 12}}));
  EXPECT_EQ(stats["cache_misses"]["counts"], json({{"C/C++", 6}}));
  EXPECT_EQ(stats["cache_errors"]["counts"], json({{"C/C++", 3}}));
  EXPECT_EQ(stats["compilations"], 10);
  EXPECT_EQ(stats["not_cached"], json({{"stdin", 2}}));
  EXPECT_EQ(stats["cache_write_duration"]["secs"], 0);
  EXPECT_EQ(root["cache_size"], 200'000'000);
  EXPECT_EQ(root["version"], "0.17.0");
}

TEST(OtherTools, OfTextThatIsNoStatisticsThereIsAnError) {
  EXPECT_FALSE(as_ccache_text("hello"));
  EXPECT_FALSE(as_ccache_counters("hello", CounterForm::tab));
  EXPECT_FALSE(as_sccache_text("hello"));
  EXPECT_FALSE(as_sccache_json("hello", ""));
}

}  // namespace
}  // namespace hipcache::stats
