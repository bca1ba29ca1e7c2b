#include "hipcache/base/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/scratch.h"

namespace hipcache {
namespace {

using support::Scratch;

TEST(Files, ReadsAWholeFileUpToItsLimitAndNoLarger) {
  const Scratch scratch;
  const std::string path = scratch.write("file", std::string(5000, 'a'));
  EXPECT_EQ(read_file(path, 5000)->size(), 5000u);
  EXPECT_EQ(read_file(path, 4999).error().message, "cannot read " + path + ": larger than 4999 bytes");
}

TEST(Files, NamesThePathAndTheReasonOfAnError) {
  EXPECT_EQ(read_file("/nowhere/file", 1).error().message, "cannot open /nowhere/file: No such file or directory");
}

TEST(Files, ReplacesAFileByRenameSoTheOldInodeIsLeftAlone) {
  const Scratch scratch;
  const std::string path = scratch.write("file", "old");
  ASSERT_EQ(link(path.c_str(), (scratch / "other").c_str()), 0);
  ASSERT_TRUE(replace_file(path, "new").ok());
  EXPECT_EQ(support::read_bytes(path), "new");
  EXPECT_EQ(support::read_bytes(scratch / "other"), "old");
}

TEST(Files, LeavesNothingBehindWhereAFileCannotBeReplaced) {
  const Scratch scratch;
  scratch.make_directory("taken/in");
  EXPECT_FALSE(replace_file(scratch / "taken", "bytes").ok());
  EXPECT_EQ(list_directory(scratch.path())->size(), 1u);
  EXPECT_FALSE(replace_file(scratch / "no/such", "bytes").ok());
}

TEST(Files, MakesDirectoriesThatAreMissingAndAcceptsThoseThatAreThere) {
  const Scratch scratch;
  EXPECT_TRUE(make_directories(scratch / "a/b/c", 0700).ok());
  EXPECT_TRUE(make_directories(scratch / "a/b/c", 0700).ok());
  scratch.write("file", "");
  EXPECT_FALSE(make_directories(scratch / "file", 0700).ok());
  EXPECT_FALSE(make_directories(scratch / "file/below", 0700).ok());
}

TEST(Files, RemovesATreeButNotWhatItsLinksPointTo) {
  const Scratch scratch;
  const std::string kept = scratch.write("kept/file", "x");
  scratch.write("tree/a/b/file", "x");
  scratch.link("tree/link", scratch / "kept");
  ASSERT_TRUE(remove_tree(scratch / "tree").ok());
  EXPECT_FALSE(support::exists(scratch / "tree"));
  EXPECT_TRUE(support::exists(kept));
  EXPECT_TRUE(remove_tree(scratch / "tree").ok()) << "what is gone already is no error";
}

TEST(Files, ListsADirectorySortedWithoutDots) {
  const Scratch scratch;
  scratch.write("b", "");
  scratch.write("a", "");
  EXPECT_EQ(*list_directory(scratch.path()), (std::vector<std::string>{"a", "b"}));
}

TEST(Files, SplitsAndJoinsPathsBySpelling) {
  EXPECT_EQ(base_name("/a/b.hip"), "b.hip");
  EXPECT_EQ(base_name("b.hip"), "b.hip");
  EXPECT_EQ(directory_name("/b"), "/");
  EXPECT_EQ(directory_name("b"), ".");
  EXPECT_EQ(directory_name("a/b"), "a");
  EXPECT_EQ(join_path("/x", "a"), "/x/a");
  EXPECT_EQ(join_path("/", "a"), "/a");
  EXPECT_EQ(join_path("/x", "/a"), "/a");
}

TEST(Files, TellsWhatLiesWithinADirectoryByWholeNames) {
  EXPECT_TRUE(is_within("/a/b", "/a"));
  EXPECT_TRUE(is_within("/a", "/a/"));
  EXPECT_TRUE(is_within("/a", "/"));
  EXPECT_FALSE(is_within("/ab", "/a"));
}

TEST(Files, SealsMemoryAgainstChange) {
  UniqueFd memory = std::move(sealed_memory("bytes", "object")).value();
  EXPECT_EQ(pwrite(memory.get(), "B", 1, 0), -1);
  EXPECT_EQ(ftruncate(memory.get(), 0), -1);
}

}  // namespace
}  // namespace hipcache
