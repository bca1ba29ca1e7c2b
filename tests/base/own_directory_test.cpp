#include "hipcache/base/own_directory.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "support/scratch.h"

namespace hipcache {
namespace {

using support::Scratch;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr uid_t kSomebodyElse = 12345;

void expect_denied(const Result<OwnDirectory>& opened, const std::string& mend) {
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::denied);
  EXPECT_THAT(opened.error().message, HasSubstr(mend));
}

TEST(OwnDirectory, IsMadeWithItsParentsForUsAlone) {
  const Scratch scratch;
  ASSERT_TRUE(OwnDirectory::open_or_make(scratch / "a/b").ok());
  struct stat status{};
  ASSERT_EQ(stat((scratch / "a/b").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST(OwnDirectory, ThatIsMissingIsGoneUnlessItIsToBeMade) {
  const Scratch scratch;
  EXPECT_EQ(OwnDirectory::open(scratch / "none").error().code, ErrorCode::gone);
}

TEST(OwnDirectory, ThatOthersMayWriteToIsDeniedWithTheMend) {
  const Scratch scratch;
  const std::string path = scratch.make_directory("open");
  ASSERT_EQ(chmod(path.c_str(), 0757), 0);
  expect_denied(OwnDirectory::open_or_make(path), "chmod o-w " + path);
  ASSERT_EQ(chmod(path.c_str(), 0775), 0);
  expect_denied(OwnDirectory::open_or_make(path), "chmod g-w " + path);
  ASSERT_EQ(chmod(path.c_str(), 0755), 0);
  EXPECT_TRUE(OwnDirectory::open_or_make(path).ok()) << "others may read";
}

TEST(OwnDirectory, OfSomebodyElseIsDeniedUnlessThatOneIsAllowed) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives a directory to another user";
  const Scratch scratch;
  const std::string path = scratch.make_directory("foreign");
  ASSERT_EQ(chown(path.c_str(), kSomebodyElse, 0), 0);
  expect_denied(OwnDirectory::open_or_make(path), "belongs to user 12345 and not to you");
  EXPECT_TRUE(OwnDirectory::open_or_make(path, {.owners = {geteuid(), kSomebodyElse}, .group = {}}).ok());
}

TEST(OwnDirectory, MayBeWritableForTheDeclaredGroupAlone) {
  const Scratch scratch;
  const std::string path = scratch.make_directory("shared");
  ASSERT_EQ(chmod(path.c_str(), 0775), 0);
  struct stat status{};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_TRUE(OwnDirectory::open_or_make(path, {.group = status.st_gid}).ok());
  EXPECT_FALSE(OwnDirectory::open_or_make(path, {.group = status.st_gid + 1}).ok());
}

TEST(OwnDirectory, MayBeReachedByALinkButOpensNoneInIt) {
  const Scratch scratch;
  scratch.write("victim", "precious");
  scratch.make_directory("elsewhere");
  const std::string real = scratch.make_directory("real");
  const auto directory = OwnDirectory::open_or_make(scratch.link("link", real));
  ASSERT_TRUE(directory.ok());
  scratch.link("real/lock", scratch / "victim");
  scratch.link("real/dangling", scratch / "made");
  scratch.link("real/store", scratch / "elsewhere");
  EXPECT_FALSE(directory->open_file("lock", O_RDWR | O_CREAT | O_TRUNC).ok());
  EXPECT_FALSE(directory->open_file("dangling", O_RDWR | O_CREAT).ok());
  EXPECT_FALSE(directory->open_or_make_below("store").ok());
  EXPECT_EQ(support::read_bytes(scratch / "victim"), "precious");
  EXPECT_FALSE(support::exists(scratch / "made"));
}

TEST(OwnDirectory, OpensNoPipeAndDoesNotWaitForItsWriter) {
  const Scratch scratch;
  ASSERT_EQ(mkfifo((scratch / "lock").c_str(), 0600), 0);
  const auto directory = OwnDirectory::open(scratch.path());
  ASSERT_TRUE(directory.ok());
  EXPECT_FALSE(directory->open_file("lock", O_RDONLY).ok());
  EXPECT_FALSE(directory->open_file("lock", O_RDWR | O_CREAT).ok());
}

TEST(OwnDirectory, IsInPlaceUntilItsPathLeadsElsewhere) {
  const Scratch scratch;
  const auto directory = OwnDirectory::open_or_make(scratch / "cache");
  ASSERT_TRUE(directory.ok());
  const auto file = directory->open_file("lock", O_RDWR | O_CREAT);
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(directory->is_in_place());
  EXPECT_TRUE(directory->holds("lock", file->get()));
  fs::rename(scratch / "cache", scratch / "moved");
  EXPECT_FALSE(directory->is_in_place());
  scratch.write("cache/lock", "another's");
  EXPECT_FALSE(directory->is_in_place());
  EXPECT_TRUE(directory->holds("lock", file->get())) << "it is the moved one's";
  fs::remove(scratch / "moved/lock");
  scratch.write("moved/lock", "");
  EXPECT_FALSE(directory->holds("lock", file->get()));
}

TEST(OwnDirectory, IsReachedByItsAnchoredPathWhateverBecomesOfItsName) {
  const Scratch scratch;
  const auto directory = OwnDirectory::open_or_make(scratch / "cache");
  ASSERT_TRUE(directory.ok());
  fs::rename(scratch / "cache", scratch / "moved");
  scratch.make_directory("cache");
  ASSERT_TRUE(replace_file(directory->anchored() + "/file", "in the moved one").ok());
  EXPECT_EQ(support::read_bytes(scratch / "moved/file"), "in the moved one");
  fs::remove_all(scratch / "moved");
  EXPECT_FALSE(replace_file(directory->anchored() + "/file", "nowhere").ok());
  EXPECT_TRUE(fs::is_empty(scratch / "cache"));
}

TEST(OwnDirectory, GivesMessagesOfItsAnchoredPathTheNameThatUsersKnow) {
  const Scratch scratch;
  const auto directory = OwnDirectory::open(scratch.path());
  ASSERT_TRUE(directory.ok());
  const std::string anchored = directory->anchored();
  EXPECT_EQ(directory->as_known("open " + anchored + "/a, " + anchored + "7/b"),
            "open " + scratch.path() + "/a, " + anchored + "7/b");
}

}  // namespace
}  // namespace hipcache
