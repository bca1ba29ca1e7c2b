#include "client/notices/notices.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <ctime>
#include <filesystem>
#include <thread>
#include <vector>

#include "support/scratch.h"

namespace hipcache::client {
namespace {

namespace fs = std::filesystem;

class Stamps : public testing::Test {
 protected:
  // Makes every stamp look as if its notice was said so long ago.
  void age(std::chrono::seconds by) const {
    for (const auto& entry : fs::directory_iterator(scratch.path())) {
      const timespec then{std::time(nullptr) - by.count(), 0};
      const timespec times[]{then, then};
      ASSERT_EQ(utimensat(AT_FDCWD, entry.path().c_str(), times, 0), 0);
    }
  }

  long files() const { return std::distance(fs::directory_iterator(scratch.path()), fs::directory_iterator()); }

  support::Scratch scratch;
  NoticeStamps stamps{scratch.path()};
};

TEST_F(Stamps, ANoticeIsDueOnceInItsPause) {
  EXPECT_TRUE(stamps.is_due("one"));
  EXPECT_FALSE(stamps.is_due("one"));
  EXPECT_TRUE(stamps.is_due("two")) << "each notice by itself";
  age(NoticeStamps::kPause - std::chrono::minutes(1));
  EXPECT_FALSE(stamps.is_due("one"));
  age(NoticeStamps::kPause);
  EXPECT_TRUE(stamps.is_due("one"));
  EXPECT_FALSE(stamps.is_due("one"));
}

TEST_F(Stamps, AClockThatWasSetBackDelaysNothing) {
  EXPECT_TRUE(stamps.is_due("one"));
  age(std::chrono::hours(-24));
  EXPECT_TRUE(stamps.is_due("one"));
}

TEST_F(Stamps, OfManyThatAskAtOnceOneIsTold) {
  for (int round = 0; round < 2; ++round) {
    std::atomic<int> told = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 16; ++i)
      threads.emplace_back([&] { told += NoticeStamps(scratch.path()).is_due("one") ? 1 : 0; });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(told, 1);
    age(NoticeStamps::kPause);
  }
}

TEST_F(Stamps, TakeABoundedNumberOfFiles) {
  for (int i = 0; i < 5'000; ++i) stamps.is_due(std::to_string(i));
  EXPECT_LE(files(), static_cast<long>(NoticeStamps::kStamps));
}

TEST_F(Stamps, WithoutADirectoryNothingIsDue) { EXPECT_FALSE(NoticeStamps(scratch / "none").is_due("one")); }

TEST_F(Stamps, ALinkInThePlaceOfAStampIsNotFollowed) {
  ASSERT_TRUE(stamps.is_due("one"));
  const std::string stamp = fs::directory_iterator(scratch.path())->path();
  fs::remove(stamp);
  fs::create_symlink(scratch / "victim", stamp);
  EXPECT_FALSE(stamps.is_due("one"));
  EXPECT_FALSE(support::exists(scratch / "victim"));
}

}  // namespace
}  // namespace hipcache::client
