#include "hipcache/report/live.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hipcache::report {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

Moment moment() {
  Moment moment;
  moment.counts.compile_requests = 12;
  moment.counts.hit = 9;
  moment.counts.miss = 3;
  moment.counts.rated = {30, 20};
  moment.counts.running = {{.object = "slow.o", .label = "device gfx906", .arch = "gfx906", .age_ms = 61'000},
                           {.object = "a.o", .label = "device gfx1030", .arch = "gfx1030", .age_ms = 1'250},
                           {.object = "b.o", .label = "device gfx906", .arch = "gfx906", .age_ms = 20},
                           {.object = "c.o", .label = "host", .arch = "", .age_ms = 10}};
  moment.counts.remote.tiers = {{.url = "http://cache/", .state = "ok", .hits = 5}};
  moment.store = {.actions = 7, .bytes_on_disk = 3u << 20};
  return moment;
}

std::string screen_of(const Moment& now, std::size_t width = 100, std::size_t height = 40) {
  std::string text;
  for (const std::string& line : live_screen(Moment(), now, 20u << 20, width, height)) text += line + "\n";
  return text;
}

TEST(LiveLine, SaysWhatIsRunningAndWhatWasFound) {
  Moment before;
  before.counts.compile_requests = 10;
  EXPECT_THAT(live_line(before, moment(), 20u << 20),
              HasSubstr("  60.0 % (30 of 50 steps, 9 of 12 requests as a whole), 12 requests (+2), 4 running: gfx906 "
                        "2, gfx1030 1, host 1; "
                        "oldest 1 min 1 s slow.o, store 3.1 MB of 21.0 MB, http://cache/ ok"));
  EXPECT_THAT(live_line(Moment(), Moment(), 0), HasSubstr("nothing looked up, 0 requests (+0), 0 running, store 0 B"));
}

Moment moment_with_engine() {
  Moment now = moment();
  now.counts.running[0].is_sent = true;
  now.counts.executed = {.sent = 14, .won = 10, .lost = 1, .not_proved = 2, .failed = 3, .execution_us = 90'000'000};
  return now;
}

TEST(LiveLine, TellsStepsWithTheEngineFromThoseThatRunHere) {
  EXPECT_THAT(
      live_line(moment(), moment_with_engine(), 0),
      HasSubstr("3 running: gfx1030 1, gfx906 1, host 1; oldest 1.2 s a.o; with the engine 1 now, 10 of 14 sent "
                "were taken, store"));
}

TEST(LiveScreen, ListsStepsWithTheEngineBesideThoseThatRunHere) {
  const std::string screen = screen_of(moment_with_engine());
  EXPECT_THAT(
      screen,
      HasSubstr("engine    1 now, 10 of 14 sent were taken; 1 faster here, 5 in vain, 1 min 30 s saved here\n"));
  EXPECT_THAT(screen, HasSubstr("running   3: gfx1030 1, gfx906 1, host 1\n"));
  EXPECT_THAT(screen, HasSubstr("      0.0 s               host                   c.o\n"
                                "  1 min 1 s  gfx906       device gfx906 (sent)   slow.o\n"));
}

TEST(LiveLine, BearsStatisticsThatWereSetToZeroMeanwhile) {
  EXPECT_THAT(live_line(moment(), Moment(), 0), HasSubstr("0 requests (+0)"));
}

TEST(LiveScreen, ListsRunningStepsByArchitectureWithTheirAge) {
  const std::string screen = screen_of(moment());
  EXPECT_THAT(screen, HasSubstr("running   4: gfx906 2, gfx1030 1, host 1\n"
                                "      1.2 s  gfx1030      device gfx1030         a.o\n"
                                "  1 min 1 s  gfx906       device gfx906          slow.o\n"
                                "      0.0 s  gfx906       device gfx906          b.o\n"
                                "      0.0 s               host                   c.o\n"));
  EXPECT_THAT(screen, HasSubstr("http://cache/  ok  5 found"));
  EXPECT_THAT(screen_of(Moment()), HasSubstr("running   nothing"));
}

TEST(LiveScreen, FitsIntoTheTerminal) {
  Moment now = moment();
  now.counts.running.assign(50, {.object = "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", .label = "host", .age_ms = 1});
  for (const std::size_t width : {1u, 20u, 53u, 200u})
    for (const std::size_t height : {1u, 5u, 24u}) {
      const std::vector<std::string> lines = live_screen(Moment(), now, 0, width, height);
      EXPECT_EQ(lines.size(), height);
      for (const std::string& line : lines)
        EXPECT_LE(std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; }),
                  static_cast<std::ptrdiff_t>(width));
    }
  EXPECT_THAT(live_screen(Moment(), now, 0, 80, 24), Contains(HasSubstr("more lines")));
}

TEST(LiveScreen, UsesTheWidthOfTheTerminal) {
  Moment now;
  const std::string path = "very/long/directories/of/a/project/with/many/names/\xc3\xa4/kernel";
  for (int i = 0; i < 30; ++i)
    now.counts.running.push_back(
        {.object = path + std::to_string(i) + ".o", .label = "device gfx906", .arch = "gfx906", .age_ms = 1});
  // A narrow one shows the ends of the names.
  EXPECT_THAT(screen_of(now, 70, 100), HasSubstr("device gfx906          .../names/\xc3\xa4/kernel0.o\n"));
  EXPECT_THAT(screen_of(now, 70, 24), HasSubstr("more lines"));
  // A wide one shows whole names, and several columns if there are too few lines.
  EXPECT_THAT(screen_of(now, 140, 100), HasSubstr(" " + path + "29.o\n"));
  const std::string wide = screen_of(now, 240, 24);
  EXPECT_THAT(wide, Not(HasSubstr("more lines")));
  EXPECT_THAT(wide, testing::ContainsRegex("kernel0.o +0[.]0 s.*kernel15.o"));
  for (int i = 0; i < 30; ++i) EXPECT_THAT(wide, HasSubstr("kernel" + std::to_string(i) + ".o"));
}

TEST(LiveScreen, ShowsNoControlCharacters) {
  Moment now = moment();
  now.counts.running[0].object = "a\x1b[31m.o";
  now.counts.remote.tiers[0].state = "b\x1b[31m";
  for (const std::string& line : live_screen(Moment(), now, 0, 200, 50))
    EXPECT_EQ(line.find('\x1b'), std::string::npos) << line;
  EXPECT_EQ(live_line(Moment(), now, 0).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace hipcache::report
