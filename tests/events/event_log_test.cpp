#include "hipcache/events/event_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <optional>
#include <thread>

#include "support/scratch.h"

namespace hipcache::events {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kMuch = 1u << 20;

std::string line(std::uint64_t number) { return to_line(ZeroEvent{number}); }

class EventLogTest : public testing::Test {
 protected:
  EventLogTest() {
    Result<OwnDirectory> opened = OwnDirectory::open_or_make(scratch_ / "daemon");
    EXPECT_TRUE(opened.ok());
    directory_.emplace(std::move(*opened));
  }

  std::string path(const char* name) const { return directory_->path() + "/" + name; }

  // The numbers of the lines in both files.
  std::vector<std::uint64_t> numbers(std::uint64_t damaged = 0) const {
    const Result<ReadEvents> read = read_event_files(directory_->path());
    EXPECT_TRUE(read.ok());
    EXPECT_EQ(read->damaged, damaged);
    std::vector<std::uint64_t> found;
    for (const Event& event : read->events) found.push_back(std::get<ZeroEvent>(event).time_us);
    return found;
  }

  support::Scratch scratch_;
  std::optional<OwnDirectory> directory_;
  Log log_{scratch_ / "log"};
};

TEST_F(EventLogTest, WritesLinesInOrderWhenItIsFlushed) {
  EventLog events(&*directory_, kMuch, log_);
  events.add(line(1) + line(2));
  events.add(line(3));
  EXPECT_FALSE(support::exists(path(kNewerFile)));
  events.flush();
  EXPECT_THAT(numbers(), testing::ElementsAre(1, 2, 3));
  EXPECT_EQ(events.counts().written, 3u);
  EventLog next(&*directory_, kMuch, log_);
  next.add(line(4));
  next.flush();
  EXPECT_THAT(numbers(), testing::ElementsAre(1, 2, 3, 4));
}

TEST_F(EventLogTest, IsNobodyElsesToRead) {
  EventLog events(&*directory_, kMuch, log_);
  events.add(line(1));
  events.flush();
  struct stat status{};
  ASSERT_EQ(stat(path(kNewerFile).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(EventLogTest, KeepsItsFilesWithinTheLimitAndTheNewestLinesInThem) {
  constexpr std::uint64_t kLimit = 1000;
  EventLog events(&*directory_, kLimit, log_);
  for (std::uint64_t number = 100; number < 300; ++number) {
    events.add(line(number));
    if (number % 7 == 0) events.flush();
    std::uint64_t bytes = 0;
    for (const auto& file : std::filesystem::directory_iterator(directory_->path())) bytes += file.file_size();
    ASSERT_LE(bytes, kLimit);
  }
  events.flush();
  const std::vector<std::uint64_t> kept = numbers();
  ASSERT_GT(kept.size(), kLimit / 2 / line(100).size());
  for (std::size_t index = 0; index < kept.size(); ++index) EXPECT_EQ(kept[index], 300 - kept.size() + index);
  EXPECT_EQ(events.counts().written, 200u);
  EXPECT_EQ(events.counts().dropped, 0u);
}

TEST_F(EventLogTest, DropsAndCountsALineThatIsLongerThanAFileMayBe) {
  EventLog events(&*directory_, 100, log_);
  events.add(line(1) + std::string(200, 'x') + "\n" + line(2));
  events.flush();
  EXPECT_EQ(events.counts().dropped, 1u);
  EXPECT_THAT(numbers(), testing::ElementsAre(1, 2));
}

TEST_F(EventLogTest, DropsAndCountsWhatMemoryDoesNotHold) {
  EventLog events(&*directory_, 1ull << 30, log_);
  const std::string many(kMostWaiting / 4, '\n');
  for (int part = 0; part < 5; ++part) events.add(many);
  EXPECT_EQ(events.counts().dropped, many.size());
  events.flush();
  EXPECT_EQ(events.counts().written, 4 * many.size());
}

TEST_F(EventLogTest, EndsALineThatAKilledDaemonLeftUnfinished) {
  const std::string whole = line(1);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    std::filesystem::remove(path(kNewerFile));
    support::Scratch files;
    std::filesystem::copy(files.write("part", line(7) + whole.substr(0, length)), path(kNewerFile));
    EventLog events(&*directory_, kMuch, log_);
    events.add(line(2));
    events.flush();
    // All but the newline is a whole line.
    const bool is_whole = length + 1 == whole.size();
    using Numbers = std::vector<std::uint64_t>;
    EXPECT_EQ(numbers(length == 0 || is_whole ? 0 : 1), is_whole ? Numbers({7, 1, 2}) : Numbers({7, 2})) << length;
  }
}

TEST_F(EventLogTest, LosesAndCountsLinesWithoutADiskAndGoesOnWhenThereIsOne) {
  EventLog events(&*directory_, kMuch, log_);
  ASSERT_TRUE(std::filesystem::create_directory(path(kNewerFile)));  // fails for root as well
  events.add(line(1) + line(2));
  events.flush();
  EXPECT_EQ(events.counts().failed, 2u);
  EXPECT_THAT(support::read_bytes(scratch_ / "log"), HasSubstr("2 lines of the event log are lost: "));
  std::filesystem::remove(path(kNewerFile));
  events.add(line(3));
  events.flush();
  EXPECT_THAT(numbers(), testing::ElementsAre(3));
}

// A file size limit is the full disk of a test.
TEST_F(EventLogTest, LeavesNoPartOfALineOnAFullDisk) {
  EventLog events(&*directory_, kMuch, log_);
  events.add(line(1));
  events.flush();
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = line(1).size() + 10;
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  events.add(line(2));
  events.flush();
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, ignored);
  EXPECT_EQ(events.counts().failed, 1u);
  EXPECT_EQ(support::read_bytes(path(kNewerFile)), line(1));
}

TEST_F(EventLogTest, WritesThroughNoLink) {
  const std::string other = scratch_.write("other", "");
  std::filesystem::create_symlink(other, path(kNewerFile));
  EventLog events(&*directory_, kMuch, log_);
  events.add(line(1));
  events.flush();
  EXPECT_EQ(support::read_bytes(other), "");
  EXPECT_EQ(events.counts().failed, 1u);
}

TEST_F(EventLogTest, KeepsNothingAndRemovesWhatIsThereIfItIsSwitchedOff) {
  EventLog(&*directory_, kMuch, log_).flush();
  for (const char* name : {kNewerFile, kOlderFile}) scratch_.write("daemon/" + std::string(name), line(1));
  EventLog off(&*directory_, 0, log_);
  EXPECT_FALSE(off.is_on());
  off.add(line(2));
  off.flush();
  for (const char* name : {kNewerFile, kOlderFile}) EXPECT_FALSE(support::exists(path(name))) << name;
  EXPECT_FALSE(EventLog(nullptr, kMuch, log_).is_on());
}

TEST_F(EventLogTest, LosesNoLineOfManyThreads) {
  EventLog events(&*directory_, 64u << 20, log_);
  constexpr std::uint64_t kEach = 500;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread)
      threads.emplace_back([&] {
        for (std::uint64_t number = 1; number <= kEach; ++number) {
          events.add(line(number));
          if (number % 100 == 0) events.flush();
        }
      });
  }
  events.flush();
  EXPECT_EQ(numbers().size(), 4 * kEach);
  EXPECT_EQ(events.counts().written, 4 * kEach);
}

TEST(EventFiles, AreReadLineByLine) {
  const support::Scratch scratch;
  scratch.write(kNewerFile, line(1) + "damaged\n\n" + line(2) + line(3).substr(0, 9));
  const Result<ReadEvents> read = read_event_files(scratch.path());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->events.size(), 2u);
  EXPECT_EQ(read->damaged, 2u);
}

TEST(EventFiles, MayBeMissingButNotSomethingElse) {
  const support::Scratch scratch;
  EXPECT_TRUE(read_event_files(scratch.path()).ok());
  EXPECT_TRUE(read_event_files(scratch / "missing").ok());
  scratch.make_directory(kNewerFile);
  const Result<ReadEvents> read = read_event_files(scratch.path());
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().message, HasSubstr(kNewerFile));
}

}  // namespace
}  // namespace hipcache::events
