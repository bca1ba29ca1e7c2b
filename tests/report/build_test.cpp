#include "hipcache/report/build.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/events_made.h"

namespace hipcache::report {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> objects(const Build& build) {
  std::vector<std::string> all;
  for (const BuildRequest& one : build.requests) all.push_back(one.request.object);
  return all;
}

TEST(Build, IsTheLastBurstOfRequests) {
  LogMaker log;
  log.request(0, kSecond, "miss", "early.o").request(10 * kMinute, kSecond, "miss", "b.o");
  log.request(12 * kMinute, kSecond, "hit", "c.o");
  const Build build = build_of(log.log(), std::nullopt);
  EXPECT_THAT(objects(build), ElementsAre("b.o", "c.o"));
  EXPECT_EQ(build.begin_us, kStart + 10 * kMinute);
  EXPECT_EQ(build.end_us, kStart + 12 * kMinute + kSecond);
  EXPECT_EQ(build.begins, "the last burst of requests");
}

TEST(Build, IsNotDividedByALongRequest) {
  LogMaker log;
  log.request(0, kSecond, "miss", "a.o");
  log.request(kSecond, 20 * kMinute, "miss", "link").request(21 * kMinute, kSecond, "hit", "b.o");
  EXPECT_EQ(build_of(log.log(), std::nullopt).requests.size(), 3u);
}

TEST(Build, BeginsAtTheLastZeroOfTheStatisticsWhereThatIsLaterThanTheBurst) {
  LogMaker log;
  log.request(0, kSecond, "miss", "a.o").event(events::ZeroEvent{kStart + 2 * kSecond});
  log.request(3 * kSecond, kSecond, "hit", "b.o");
  EXPECT_THAT(objects(build_of(log.log(), std::nullopt)), ElementsAre("b.o"));
  EXPECT_EQ(build_of(log.log(), std::nullopt).begins, "since --zero-stats");
  log.request(kMinute * 30, kSecond, "hit", "c.o");
  EXPECT_THAT(objects(build_of(log.log(), std::nullopt)), ElementsAre("c.o"));
}

TEST(Build, BeginsWhereTheUserSays) {
  LogMaker log;
  log.request(0, kSecond, "miss", "a.o").event(events::ZeroEvent{kStart + 2 * kSecond});
  log.request(30 * kMinute, kSecond, "hit", "b.o");
  EXPECT_THAT(objects(build_of(log.log(), kStart)), ElementsAre("a.o", "b.o"));
  EXPECT_THAT(objects(build_of(log.log(), kStart + 1)), ElementsAre("b.o"));
  EXPECT_THAT(objects(build_of(log.log(), kStart + 60 * kMinute)), IsEmpty());
}

TEST(Build, HasRequestsAndStepsInTheOrderOfTheirStart) {
  LogMaker log;
  log.step(9, 1, "run", "host").step(3, 1, "run", "device", "gfx906").request(2, 20, "miss", "late.o");
  log.request(1, 1, "hit", "early.o");
  const Build build = build_of(log.log(), std::nullopt);
  EXPECT_THAT(objects(build), ElementsAre("early.o", "late.o"));
  ASSERT_EQ(build.requests[1].steps.size(), 2u);
  EXPECT_EQ(build.requests[1].steps[0].kind, "device");
}

TEST(Build, OfAnEmptyLogIsEmpty) {
  const Build build = build_of({}, std::nullopt);
  EXPECT_THAT(build.requests, IsEmpty());
  EXPECT_THAT(timeline_of(build, 10).tracks, IsEmpty());
}

TEST(Timeline, HasATrackForEachArchitectureAndRowsForWhatRunsAtOnce) {
  LogMaker log;
  log.step(0, 10, "run", "device", "gfx906").step(0, 4, "run", "device", "gfx1030").step(10, 5, "run", "host");
  log.request(0, 20, "miss", "a.o");
  log.step(5, 10, "run", "device", "gfx906").step(15, 1, "hit", "device", "gfx906").request(5, 20, "miss", "b.o");
  const Build build = build_of(log.log(), std::nullopt);
  const Timeline timeline = timeline_of(build, 100);
  std::vector<std::pair<std::string, std::size_t>> tracks;
  for (const Track& track : timeline.tracks) tracks.emplace_back(track.name, track.rows);
  using Named = std::pair<std::string, std::size_t>;
  EXPECT_THAT(tracks, ElementsAre(Named("requests", 2), Named("gfx1030", 1), Named("gfx906", 2), Named("host", 1)));
  EXPECT_EQ(timeline.tracks[2].slices.back().row, 0u) << "is free again";
  for (const Track& track : timeline.tracks)
    for (std::size_t one = 0; one < track.slices.size(); ++one)
      for (std::size_t other = one + 1; other < track.slices.size(); ++other)
        EXPECT_TRUE(track.slices[one].row != track.slices[other].row ||
                    track.slices[one].start_us() + track.slices[one].duration_us() <= track.slices[other].start_us());
}

TEST(Timeline, LeavesOutTheShortestSlicesOfALargeBuild) {
  LogMaker log;
  for (std::uint64_t i = 1; i <= 50; ++i) log.request(i * kSecond, i, "hit", std::to_string(i) + ".o");
  const Build build = build_of(log.log(), std::nullopt);
  const Timeline timeline = timeline_of(build, 10);
  EXPECT_EQ(timeline.left_out, 40u);
  ASSERT_EQ(timeline.tracks.size(), 1u);
  for (const Slice& slice : timeline.tracks[0].slices) EXPECT_GT(slice.duration_us(), 40u);
}

}  // namespace
}  // namespace hipcache::report
