#include "hipcache/stats/other_tools.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "hipcache/stats/counters.h"

namespace hipcache::stats {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

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
