#include <gmock/gmock.h>

#include "hipcache/stats/counters.h"
#include "hipcache/stats/report.h"

namespace hipcache::stats {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

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

}  // namespace
}  // namespace hipcache::stats
