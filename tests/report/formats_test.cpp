// The four forms of a report: what is in them, and that no name can leave its place.
#include "hipcache/report/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "report/events_made.h"

namespace hipcache::report {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

const std::string kHostile = "</script><script>alert(1)</script>\"' onload=\"x\xff\n|`*[a](javascript:1){{js}}.o";

LogMaker small_log(const std::string& object = "a.o") {
  LogMaker log;
  log.request(0, 900, "hit", "warm.o");
  log.last().steps = {"gfx906", "host"};
  log.last().saved_us = 3 * kSecond;
  log.last().processor_saved_us = 2 * kSecond;
  log.step(10, 2 * kSecond, "run", "device", "gfx906").step(20, kSecond, "hit", "host");
  LogMaker& with_step = log.step(30, 40, "run", "bundle");
  with_step.last_step().why = {"why of " + object};
  with_step.last_step().not_stored = "trace: " + object;
  log.request(5, 3 * kSecond, "partial", object);
  log.request(50, 10, "passthrough", "passed.o");
  log.last().reason = "not-a-compiler";
  log.last().detail = object;
  return log;
}

struct Made {
  Build build;
  Summary summary;
};

Made made_of(const LogMaker& log, const stats::Snapshot& counts = {}) {
  Made made{build_of(log.log(), std::nullopt), {}};
  made.summary = summary_of(made.build, counts);
  return made;
}

TEST(JsonReport, HasTheNumbersAndTables) {
  const Made made = made_of(small_log());
  const json root = json::parse(to_json(made.summary));
  EXPECT_EQ(root["requests"]["hit"], 1);
  EXPECT_EQ(root["hit_rate"], 50.0);
  EXPECT_EQ(root["looked_up"], 2);
  EXPECT_EQ(root["rated_steps"], json({{"hit", 3}, {"run", 1}}));
  EXPECT_EQ(root["step_hit_rate"], 75.0);
  EXPECT_EQ(root["saved_us"], 3 * kSecond);
  EXPECT_EQ(root["processor_saved_us"], 2 * kSecond);
  EXPECT_EQ(root["steps"][0]["name"], "gfx906");
  EXPECT_EQ(root["steps"][0]["hit"], 1);
  EXPECT_EQ(root["steps"][0]["run"], 1);
  EXPECT_EQ(root["directories"][0]["directory"], "/build");
  EXPECT_EQ(root["misses"][0]["step"], "device gfx906");
  EXPECT_EQ(root["bypasses"][0]["reason"], "not-a-compiler");
  EXPECT_EQ(root["evicted"]["advised_max_size"], "");
}

TEST(TraceReport, HasAProcessForEachTrackAndSlicesFromZero) {
  const Made made = made_of(small_log());
  const json root = json::parse(to_trace(made.build));
  std::vector<std::string> names;
  std::set<std::pair<int, int>> threads;
  for (const json& event : root["traceEvents"]) {
    if (event["ph"] == "M" && event["name"] == "process_name") names.push_back(event["args"]["name"]);
    if (event["ph"] == "X") threads.insert({event["pid"].get<int>(), event["tid"].get<int>()});
  }
  EXPECT_THAT(names, testing::ElementsAre("requests", "gfx906", "bundle", "host"));
  EXPECT_EQ(root["traceEvents"][2]["ts"], 0);
  EXPECT_GE(threads.size(), 4u);
}

TEST(MarkdownReport, SaysTheRateTheTimeAndWhyStepsRan) {
  const std::string text = to_markdown(made_of(small_log()).summary);
  EXPECT_THAT(text, HasSubstr("**75.0 %** came from the cache: 3 of 4 steps, 1 of 2 requests as a whole. "
                              "Processor time saved: 2.0 s."));
  EXPECT_THAT(text, HasSubstr("| gfx906 | 1 | 1 | 0 | 2.0 s |"));
  EXPECT_THAT(text, HasSubstr("| a.o | bundle | why of a.o |"));
  EXPECT_THAT(to_markdown(made_of(LogMaker()).summary), HasSubstr("No request is in the event log"));
}

TEST(HtmlReport, HasTheTablesAndNothingFromOutside) {
  const Made made = made_of(small_log());
  const std::string page = to_html(made.build, made.summary);
  for (const char* part : {"75.0 %", "1 of 2 requests", "device gfx906", "why of a.o", "By architecture",
                           "By directory", "Passed through", "Run and not stored", "Costliest steps that ran"})
    EXPECT_THAT(page, HasSubstr(part));
  for (const char* outside : {"http:", "https:", "src=", "href=", "@import", "url(", "{{"})
    EXPECT_THAT(page, Not(HasSubstr(outside)));
}

TEST(EveryReport, HasASectionOnRemoteExecutionIfAStepWasSent) {
  const Made without = made_of(small_log());
  EXPECT_THAT(to_html(without.build, without.summary), Not(HasSubstr("Remote execution")));
  EXPECT_THAT(to_markdown(without.summary), Not(HasSubstr("Remote execution")));
  LogMaker log;
  log.step(1, 9, "run", "device", "gfx906").last_step().engine = {.outcome = "won", .execution_us = 2 * kSecond};
  log.step(2, 8, "run", "device", "gfx90a").last_step().engine = {
      .outcome = "not-proved", .reason = "absent-there", .detail = "/usr/<a>.h"};
  log.request(1, 60, "miss", "a.o");
  const Made made = made_of(log);
  const std::string page = to_html(made.build, made.summary);
  for (const char* part : {"<h2>Remote execution", "Sent to workers in vain", "a.o: device gfx90a: /usr/&lt;a&gt;.h",
                           "<span class=\"tag\">worker</span> not-proved: absent-there /usr/&lt;a&gt;.h"})
    EXPECT_THAT(page, HasSubstr(part));
  const std::string markdown = to_markdown(made.summary);
  EXPECT_THAT(markdown, HasSubstr("#### Remote execution"));
  EXPECT_THAT(markdown, HasSubstr("| 2 | 1 | 0 | 1 | 0 | 2.0 s |"));
  const json root = json::parse(to_json(made.summary));
  EXPECT_EQ(root["executed"]["won"], 1);
  EXPECT_EQ(root["executed"]["execution_us"], 2 * kSecond);
  EXPECT_EQ(root["executed"]["why"][0]["reason"], "absent-there");
  EXPECT_EQ(root["misses"][0]["engine"], "won");
  EXPECT_THAT(to_trace(made.build), HasSubstr("\"engine\":\"won\""));
}

TEST(HtmlReport, WarnsOfACacheThatIsTooSmall) {
  LogMaker log = small_log();
  log.event(events::EvictionEvent{.time_us = kStart + kSecond, .values = 3, .bytes = 1'000'000, .max_size = 9'000'000});
  const Made made = made_of(log);
  EXPECT_THAT(to_html(made.build, made.summary), HasSubstr("Set HIPCACHE_MAX_SIZE=12M (now 9.0 MB)."));
  EXPECT_THAT(to_markdown(made.summary), HasSubstr("Set `HIPCACHE_MAX_SIZE=12M`."));
  EXPECT_EQ(json::parse(to_json(made.summary))["evicted"]["values"], 3);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
  return times;
}

TEST(EveryReport, KeepsHostileNamesInTheirPlaces) {
  stats::Snapshot counts;
  counts.remote.tiers = {{.url = kHostile, .state = kHostile}};
  const Made hostile = made_of(small_log(kHostile), counts);
  const Made harmless = made_of(small_log("a/b/c.o"), {.remote = {.tiers = {{.url = "u", .state = "s"}}}});
  const std::string page = to_html(hostile.build, hostile.summary);
  const std::string usual = to_html(harmless.build, harmless.summary);
  for (const char* markup : {"<script", "</script", "<td", "<tr", "<table", "<div", "<i ", "data-slice=", "onload=\""})
    EXPECT_EQ(count(page, markup), count(usual, markup)) << markup;
  const std::size_t data = page.find("id=\"data\">") + 10;
  EXPECT_TRUE(json::accept(page.substr(data, page.find("</script>", data) - data)));
  EXPECT_TRUE(json::accept(to_json(hostile.summary)));
  EXPECT_TRUE(json::accept(to_trace(hostile.build)));
  const std::string markdown = to_markdown(hostile.summary);
  EXPECT_EQ(count(markdown, "\n"), count(to_markdown(harmless.summary), "\n"));
  EXPECT_THAT(markdown, Not(HasSubstr("<script")));
  EXPECT_THAT(markdown, Not(HasSubstr("[a](")));
}

TEST(EveryReport, IsMadeOfNothing) {
  const Made nothing = made_of(LogMaker());
  EXPECT_THAT(to_html(nothing.build, nothing.summary), HasSubstr("No request is in the event log"));
  EXPECT_TRUE(json::accept(to_json(nothing.summary)));
  EXPECT_TRUE(json::accept(to_trace(nothing.build)));
}

}  // namespace
}  // namespace hipcache::report
