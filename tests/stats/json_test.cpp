#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "hipcache/stats/counters.h"
#include "hipcache/stats/report.h"

namespace hipcache::stats {
namespace {

using nlohmann::json;

// Every number another, so that no two can be exchanged unseen.
Snapshot numbered() {
  Snapshot counts;
  counts.compile_requests = 52;
  counts.hit = 1, counts.partial = 2, counts.miss = 3, counts.passthrough = 4, counts.aborted = 42;
  counts.not_cached = {{"-E", 5}, {"stdin", 6}};
  counts.not_cached_detail = {{"-E", "prints"}};
  counts.not_stored = {{"an input changed", 7}};
  counts.not_stored_detail = {{"an input changed", "a.o: host: b.h"}};
  counts.bundled = {{"wrapper-not-understood", 53}};
  counts.bundled_detail = {{"wrapper-not-understood", "no jobs"}};
  counts.device = {{"gfx906", {8, 9}}, {"gfx1030", {11, 12}}};
  counts.host = {13, 14}, counts.bundle = {15, 16}, counts.probe = {17, 18}, counts.unbundle = {33, 34},
  counts.link = {35, 36}, counts.archive = {43, 44}, counts.proof = {37, 38}, counts.front = {54, 39},
  counts.back = {40, 41};
  counts.audited_hits = {.hits = 55, .differences = 56, .void_audits = 57, .skipped = 58};
  counts.token_hits = {.served = 79, .off = "a.o: host"};
  counts.wrapper_headers = {.made = 80, .used = 81, .again = 82, .audited = 83, .differences = 84, .saved_us = 85'000};
  counts.without_header = {{"not made yet", 86}};
  counts.without_header_detail = {{"not made yet", "a.o: host"}};
  counts.failed_compiles = 19, counts.waited_steps = 20, counts.errors = 21;
  counts.corrupt = 22, counts.evicted = 23, counts.layers = 24, counts.taken_over = 25;
  counts.max_bytes = 35, counts.directory = "/cache";
  counts.rated = {63, 64};
  counts.time_saved_us = 24000, counts.processor_saved_us = 65000, counts.since = 25;
  counts.running = {{.object = "a.o", .label = "device gfx906", .arch = "gfx906", .age_ms = 59, .is_sent = true}};
  counts.executed = {.sent = 66,
                     .won = 67,
                     .lost = 68,
                     .not_proved = 69,
                     .failed = 70,
                     .differences = 71,
                     .why = {{"absent-there", 72}},
                     .why_detail = {{"absent-there", "a.o: device gfx906: /usr/a.h"}},
                     .paths = {{"/usr/a.h", 73}},
                     .bytes_sent = 74,
                     .bytes_received = 75,
                     .queue_us = 76'000,
                     .staging_us = 77'000,
                     .execution_us = 78'000};
  counts.events = {.written = 60, .dropped = 61, .failed = 62};
  return counts;
}

TEST(StatisticsJson, UsesSccachesNamesWhereTheMeaningIsTheSame) {
  const json root = json::parse(numbered().to_json(0, 0, 0, 0));
  EXPECT_EQ(root["compile_requests"], 52);
  EXPECT_EQ(root["requests_executed"], 6);
  EXPECT_EQ(root["requests_not_cacheable"], 4);
  EXPECT_EQ(root["cache_hits"], 1);
  EXPECT_EQ(root["cache_misses"], 5);
  EXPECT_EQ(root["compile_fails"], 19);
  EXPECT_EQ(root["not_cached"], json({{"-E", 5}, {"stdin", 6}}));
}

TEST(StatisticsJson, CountsRequestsStepsAndTheStoreUnderNamesOfOurOwn) {
  const json root = json::parse(numbered().to_json(31, 32, 33, 34));
  EXPECT_EQ(root["requests"], json({{"hit", 1}, {"partial", 2}, {"miss", 3}, {"passthrough", 4}, {"aborted", 42}}));
  EXPECT_EQ(root["steps"]["device"]["gfx906"], json({{"hit", 8}, {"run", 9}}));
  EXPECT_EQ(root["steps"]["device"]["gfx1030"], json({{"hit", 11}, {"run", 12}}));
  EXPECT_EQ(root["steps"]["host"], json({{"hit", 13}, {"run", 14}}));
  EXPECT_EQ(root["steps"]["bundle"], json({{"hit", 15}, {"run", 16}}));
  EXPECT_EQ(root["steps"]["unbundle"], json({{"hit", 33}, {"run", 34}}));
  EXPECT_EQ(root["steps"]["link"], json({{"hit", 35}, {"run", 36}}));
  EXPECT_EQ(root["steps"]["archive"], json({{"hit", 43}, {"run", 44}}));
  EXPECT_EQ(root["steps"]["probe"], json({{"hit", 17}, {"run", 18}}));
  EXPECT_EQ(root["steps"]["proof"], json({{"hit", 37}, {"run", 38}}));
  EXPECT_EQ(root["steps"]["front"], json({{"hit", 54}, {"run", 39}}));
  EXPECT_EQ(root["steps"]["back"], json({{"hit", 40}, {"run", 41}}));
  EXPECT_EQ(root["audit"], json({{"hits", 55}, {"differences", 56}, {"void", 57}, {"skipped", 58}}));
  EXPECT_EQ(root["token_hits"], json({{"served", 79}, {"off", "a.o: host"}}));
  EXPECT_EQ(root["wrapper_headers"], json({{"made", 80},
                                           {"used", 81},
                                           {"again", 82},
                                           {"audited", 83},
                                           {"differences", 84},
                                           {"processor_saved_ms", 85}}));
  EXPECT_EQ(root["without_wrapper_header"], json({{"not made yet", 86}}));
  EXPECT_EQ(root["not_stored"], json({{"an input changed", 7}}));
  EXPECT_EQ(root["not_cached_detail"], json({{"-E", "prints"}}));
  EXPECT_EQ(root["not_stored_detail"], json({{"an input changed", "a.o: host: b.h"}}));
  EXPECT_EQ(root["failed_compiles"], 19);
  EXPECT_EQ(root["waited_steps"], 20);
  EXPECT_EQ(root["errors"], 21);
  EXPECT_EQ(root["rated_steps"], json({{"hit", 63}, {"run", 64}}));
  EXPECT_EQ(root["time_saved_ms"], 24);
  EXPECT_EQ(root["processor_saved_ms"], 65);
  EXPECT_EQ(root["since"], 25);
  EXPECT_EQ(root["store"], json({{"actions", 31},
                                 {"blobs", 32},
                                 {"bytes", 33},
                                 {"bytes_on_disk", 34},
                                 {"max_bytes", 35},
                                 {"directory", "/cache"},
                                 {"corrupt", 22},
                                 {"evicted", 23},
                                 {"layers", 24},
                                 {"taken_over", 25}}));
  EXPECT_EQ(
      root["running"],
      json({{{"object", "a.o"}, {"step", "device gfx906"}, {"arch", "gfx906"}, {"age_ms", 59}, {"engine", true}}}));
  EXPECT_EQ(root["executed"], json({{"sent", 66},
                                    {"won", 67},
                                    {"lost", 68},
                                    {"not_proved", 69},
                                    {"failed", 70},
                                    {"differences", 71},
                                    {"why", {{"absent-there", 72}}},
                                    {"why_detail", {{"absent-there", "a.o: device gfx906: /usr/a.h"}}},
                                    {"paths", {{"/usr/a.h", 73}}},
                                    {"bytes_sent", 74},
                                    {"bytes_received", 75},
                                    {"queue_ms", 76},
                                    {"staging_ms", 77},
                                    {"execution_ms", 78}}));
  EXPECT_EQ(root["events"], json({{"written", 60}, {"dropped", 61}, {"failed", 62}}));
}

TEST(StatisticsJson, ComesBackAsItWent) {
  const auto back = Snapshot::from_json(numbered().to_json(1, 2, 3, 4));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->to_json(1, 2, 3, 4), numbered().to_json(1, 2, 3, 4));
  EXPECT_EQ(back->time_saved_us, 24000u);
  const auto store = store_size_from_json(numbered().to_json(1, 2, 3, 4));
  ASSERT_TRUE(store);
  EXPECT_EQ(store->actions, 1u);
  EXPECT_EQ(store->blobs, 2u);
  EXPECT_EQ(store->bytes, 3u);
  EXPECT_EQ(store->bytes_on_disk, 4u);
}

TEST(RemoteStatistics, OfResultsThatNoTrustedKeyHasSignedComeBackAsTheyWent) {
  Snapshot counts;
  counts.remote.tiers = {
      {.url = "redis://cache.example", .state = "ok", .hits = 1, .misses = 9, .not_signed = 3, .untrusted = 4}};
  const std::string text = counts.to_json(0, 0, 0, 0);
  EXPECT_EQ(json::parse(text)["remote"]["tiers"][0]["unsigned"], 3);
  EXPECT_EQ(json::parse(text)["remote"]["tiers"][0]["untrusted"], 4);
  const auto back = Snapshot::from_json(text);
  ASSERT_TRUE(back) << back.error().message;
  ASSERT_EQ(back->remote.tiers.size(), 1u);
  EXPECT_EQ(back->remote.tiers[0].not_signed, 3u);
  EXPECT_EQ(back->remote.tiers[0].untrusted, 4u);
}

TEST(StatisticsJson, TakesWhatIsMissingForZero) {
  const auto empty = Snapshot::from_json("{}");
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->to_json(0, 0, 0, 0), Snapshot().to_json(0, 0, 0, 0));
  const auto some = Snapshot::from_json(R"({"requests": {"hit": 3}, "of the future": []})");
  ASSERT_TRUE(some);
  EXPECT_EQ(some->hit, 3u);
}

TEST(StatisticsJson, NamesTheValueOfTheWrongType) {
  const std::pair<const char*, const char*> wrong[] = {
      {R"({"compile_requests": "ten"})", "statistics: compile_requests is a JSON string, not a count"},
      {R"({"compile_requests": -1})", "statistics: compile_requests is a JSON number, not a count"},
      {R"({"compile_requests": 1.5})", "statistics: compile_requests is a JSON number, not a count"},
      {R"({"requests": 3})", "statistics: requests is a JSON number, not an object"},
      {R"({"requests": {"hit": null}})", "statistics: requests.hit is a JSON null, not a count"},
      {R"({"not_cached": {"-E": []}})", "statistics: not_cached.-E is a JSON array, not a count"},
      {R"({"steps": {"device": {"gfx906": 1}}})", "statistics: steps.device.gfx906 is a JSON number, not an object"},
      {R"({"steps": {"device": {"gfx906": {"run": true}}}})",
       "statistics: steps.device.gfx906.run is a JSON boolean, not a count"},
      {R"({"running": {}})", "statistics: running is a JSON object, not a list"},
      {R"({"running": [1]})", "statistics: running is a JSON number, not a list of objects"},
      {R"({"running": [{"age_ms": "old"}]})", "statistics: running.age_ms is a JSON string, not a count"},
  };
  for (const auto& [text, message] : wrong) {
    const auto read = Snapshot::from_json(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().message, message);
  }
}

TEST(StatisticsJson, IsAnErrorWhereTheTextIsNoObjectOrCutAnywhere) {
  EXPECT_FALSE(Snapshot::from_json(""));
  EXPECT_FALSE(Snapshot::from_json("[]"));
  EXPECT_FALSE(Snapshot::from_json("\xff\xfe"));
  std::string whole = numbered().to_json(1, 2, 3, 4);
  whole.erase(whole.find_last_of('}') + 1);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(Snapshot::from_json(whole.substr(0, size))) << size;
}

TEST(StatisticsJson, HoldsReasonsThatAreNotText) {
  Snapshot counts;
  counts.not_cached["-D\xff\"\n"] = 1;
  const json root = json::parse(counts.to_json(0, 0, 0, 0));
  EXPECT_EQ(root["not_cached"].size(), 1u);
}

}  // namespace
}  // namespace hipcache::stats
