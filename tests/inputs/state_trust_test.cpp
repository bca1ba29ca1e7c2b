// What is too new to be told apart by its stamp is asked of the file system again.
#include <gmock/gmock.h>

#include <thread>

#include "inputs/state_fixture.h"

namespace hipcache::inputs {
namespace {

class StateTrust : public StateFixture {};

TEST_F(StateTrust, DigestsAFreshFileAgainUntilItsStampHasSettled) {
  const PathSet set({{Question::content, write("a.h", "one")}});
  make_stamps_fresh();
  EXPECT_EQ(effort_of(set).opens, 1u);
  EXPECT_EQ(effort_of(set).opens, 1u);
  let_stamps_settle();
  EXPECT_EQ(effort_of(set).opens, 1u) << "what was digested while it was fresh proves nothing";
  EXPECT_EQ(effort_of(set).opens, 0u);
}

TEST_F(StateTrust, DistrustsExactlyAsLongAsItSays) {
  const PathSet set({{Question::content, write("a.h", "one")}});
  struct stat status = {};
  ASSERT_EQ(::stat(at("a.h").c_str(), &status), 0);
  const auto changed =
      static_cast<std::uint64_t>(status.st_ctim.tv_sec) * kSecond + static_cast<std::uint64_t>(status.st_ctim.tv_nsec);
  now_ = changed + 2 * kSecond;
  effort_of(set);
  EXPECT_EQ(effort_of(set).opens, 1u);
  now_ = changed + 2 * kSecond + 1;
  effort_of(set);
  EXPECT_EQ(effort_of(set).opens, 0u);
}

TEST_F(StateTrust, DistrustsAStampFromTheFuture) {
  const PathSet set({{Question::content, write("a.h", "one")}});
  std::filesystem::last_write_time(at("a.h"), std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  effort_of(set);
  EXPECT_EQ(effort_of(set).opens, 1u);
}

TEST_F(StateTrust, SeesAChangeThatWasMadeAfterTheClockWasSetBack) {
  const PathSet set({{Question::content, write("a.h", "one")}, {Question::presence, at("b.h")}});
  const Digest before = state(set);
  now_ = file_clock()() - 3600 * kSecond;
  write("a.h", "two");
  const Digest edited = state(set);
  EXPECT_NE(edited, before);
  write("b.h", "");
  EXPECT_NE(state(set), edited);
}

TEST_F(StateTrust, AsksAFreshDirectoryForEachAbsenceAgain) {
  directory("include");
  const PathSet set({{Question::presence, at("include/a.h")}, {Question::presence, at("include/b.h")}});
  make_stamps_fresh();
  effort_of(set);
  EXPECT_EQ(effort_of(set).stats, 3u) << "both names and the directory";
  let_stamps_settle();
  effort_of(set);
  EXPECT_EQ(effort_of(set).stats, 1u) << "the directory";
}

TEST_F(StateTrust, ListsAFreshDirectoryAgain) {
  const PathSet set({{Question::listing, directory("d")}});
  make_stamps_fresh();
  effort_of(set);
  EXPECT_EQ(effort_of(set).listings, 1u);
  let_stamps_settle();
  effort_of(set);
  EXPECT_EQ(effort_of(set).listings, 0u);
}

TEST_F(StateTrust, NeverTrustsTheStampsOfProc) {
  now_ = file_clock()() + 1'000'000 * kSecond;
  const PathSet set({{Question::content, "/proc/version"}, {Question::listing, "/proc/self/fdinfo"}});
  effort_of(set);
  const Effort second = effort_of(set);
  EXPECT_EQ(second.opens, 1u);
  EXPECT_EQ(second.listings, 1u);
}

TEST_F(StateTrust, GivesManyThreadsTheSameState) {
  std::vector<Observation> observations;
  for (int i = 0; i < 40; ++i) {
    observations.push_back(
        {Question::content, write("d" + std::to_string(i % 4) + "/f" + std::to_string(i), std::to_string(i))});
    observations.push_back({Question::presence, at("d" + std::to_string(i % 4) + "/absent" + std::to_string(i))});
  }
  let_stamps_settle();
  const PathSet set(observations);
  FileSystemState reference(file_clock());
  const Digest expected = reference.state(set, here());
  std::vector<Digest> got(8 * 50);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < 50; ++i) got[t * 50 + i] = file_system_.state(set, here());
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(got, testing::Each(expected));
}

}  // namespace
}  // namespace hipcache::inputs
