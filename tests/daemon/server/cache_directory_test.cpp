#include "daemon/server/cache_directory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "daemon/request/request_directory.h"
#include "support/scratch.h"

namespace hipcache::daemon {
namespace {

using namespace std::chrono_literals;
using support::Scratch;

TEST(CacheDirectory, IsMadeForItsUserAlone) {
  const Scratch scratch;
  const auto taken = CacheDirectory::make_and_lock(scratch / "new/cache", 0ms);
  ASSERT_TRUE(taken.ok());
  struct stat status{};
  ASSERT_EQ(stat((scratch / "new/cache").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST(CacheDirectory, HasOneDaemonAtATime) {
  const Scratch scratch;
  {
    const auto first = CacheDirectory::make_and_lock(scratch.path(), 0ms);
    ASSERT_TRUE(first.ok());
    const auto second = CacheDirectory::make_and_lock(scratch.path(), 20ms);
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().message, "another hipcached holds " + scratch / "daemon.lock");
  }
  EXPECT_TRUE(CacheDirectory::make_and_lock(scratch.path(), 0ms).ok());
}

TEST(CacheDirectory, LosesWhatAKilledDaemonLeftInItsTemporaryDirectory) {
  const Scratch scratch;
  scratch.write("tmp/abc/gfx906.out", "left over");
  const auto taken = CacheDirectory::make_and_lock(scratch.path(), 0ms);
  ASSERT_TRUE(taken.ok());
  EXPECT_FALSE(support::exists(scratch / "tmp/abc"));
  EXPECT_TRUE(support::exists(taken->temporary()));
}

TEST(CacheDirectory, ThatIsAFileIsAnErrorThatNamesIt) {
  const Scratch scratch;
  scratch.write("file", "");
  EXPECT_NE(CacheDirectory::make_and_lock(scratch / "file", 0ms).error().message.find(scratch / "file"),
            std::string::npos);
}

TEST(RequestDirectory, LiesInTheUsersDirectoryUnderANameOfOursWhereTheCacheHasNoRoom) {
  const support::Scratch scratch;
  const auto directory = RequestDirectory::make("/nowhere", scratch.path());
  ASSERT_TRUE(directory);
  EXPECT_EQ(directory->path().find(scratch.path() + "/hipcache-"), 0u);
  struct stat status{};
  ASSERT_EQ(stat(directory->path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0700u) << "by which the client knows it";
}

TEST(RequestDirectory, IsGoneWithItsContentsAtTheEndOfTheRequest) {
  const Scratch scratch;
  std::string path;
  {
    const auto directory = RequestDirectory::make(scratch.path(), "/tmp");
    ASSERT_TRUE(directory.ok());
    path = directory->path();
    scratch.write(path.substr(scratch.path().size() + 1) + "/deep/file", "x");
    EXPECT_TRUE(support::exists(directory->file("deep/file")));
  }
  EXPECT_FALSE(support::exists(path));
}

TEST(RequestDirectory, ThatCannotBeMadeIsAnError) {
  EXPECT_FALSE(RequestDirectory::make("/nowhere", "/nowhere/else").ok());
}

}  // namespace
}  // namespace hipcache::daemon
