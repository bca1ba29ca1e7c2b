#include "hipcache/base/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <thread>

#include "support/scratch.h"

namespace hipcache {
namespace {

using support::Scratch;

TEST(ReadFile, WaitsForNobodyWhoMightWriteToAPipe) {
  const support::Scratch scratch;
  ASSERT_EQ(mkfifo((scratch / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_file(scratch / "pipe", 100).error().message, (scratch / "pipe") + " is a pipe, not a file");
}

TEST(Files, ReadsAWholeFileUpToItsLimitAndNoLarger) {
  const Scratch scratch;
  const std::string path = scratch.write("file", std::string(5000, 'a'));
  EXPECT_EQ(read_file(path, 5000)->size(), 5000u);
  EXPECT_EQ(read_file(path, 4999).error().message, "cannot read " + path + ": larger than 4999 bytes");
}

// A string that grows has up to twice the room that it needs, and was copied.
TEST(Files, ReadsARegularFileIntoMemoryThatNeverGrows) {
  const Scratch scratch;
  for (const std::size_t size : {100u, 4095u, 4096u, 70'000u, 3'000'001u}) {
    const std::string path = scratch.write("file", std::string(size, 'a'));
    const Result<std::string> bytes = read_file(path, 1u << 30);
    ASSERT_TRUE(bytes) << bytes.error().message;
    EXPECT_EQ(bytes->size(), size);
    EXPECT_LE(bytes->capacity(), size + 64) << size;
    EXPECT_EQ(read_file(path, size)->size(), size);
  }
}

// Those that this thread has made; it makes some itself. Nothing where the
// kernel does not count them.
std::optional<long> reads_so_far() {
  std::ifstream counts("/proc/thread-self/io");
  std::string name;
  for (long value = 0; counts >> name >> value;)
    if (name == "syscr:") return value;
  return std::nullopt;
}

TEST(Files, ReadsARegularFileByTwoCallsTheSecondOfWhichFindsTheEnd) {
  const Scratch scratch;
  const std::string path = scratch.write("file", std::string(3'000'000, 'a'));
  const std::optional<long> first = reads_so_far();
  if (!first) GTEST_SKIP() << "this kernel does not count reads";
  const long before = *reads_so_far();
  EXPECT_EQ(read_file(path, 1u << 30)->size(), 3'000'000u);
  EXPECT_EQ(*reads_so_far() - before - (before - *first), 2);
}

TEST(Files, ReadsWhatHasNoSizeBeforehandToItsEnd) {
  EXPECT_GT(read_file("/proc/self/status", 1u << 20)->size(), 100u);
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd reader(ends[0]);
  std::string bytes;
  for (int i = 0; i < 100'000; ++i) bytes += std::to_string(i);
  std::thread writer([&] {
    const UniqueFd end(ends[1]);
    EXPECT_TRUE(write_all(end.get(), bytes, "the pipe"));
  });
  const Result<std::string> got = read_fd(reader.get(), 1u << 30, "the pipe");
  writer.join();
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(*got, bytes);
}

TEST(Files, NamesThePathAndTheReasonOfAnError) {
  EXPECT_EQ(read_file("/nowhere/file", 1).error().message, "cannot open /nowhere/file: No such file or directory");
}

TEST(Files, GivesAnErrorTheCodeOfItsErrno) {
  EXPECT_EQ(read_file("/nowhere/file", 1).error().code, ErrorCode::gone);
  EXPECT_EQ(write_all(UniqueFd(open("/dev/full", O_WRONLY)).get(), "x", "full").error().code, ErrorCode::no_space);
  for (const int number : {ENOSPC, EDQUOT, EFBIG}) EXPECT_EQ(code_of_errno(number), ErrorCode::no_space);
  for (const int number : {EMFILE, ENFILE, ENOMEM, EAGAIN}) EXPECT_EQ(code_of_errno(number), ErrorCode::resources);
  for (const int number : {EACCES, EPERM, EROFS}) EXPECT_EQ(code_of_errno(number), ErrorCode::denied);
  EXPECT_EQ(code_of_errno(EIO), ErrorCode::other);
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

TEST(Files, SpellsPathsNormallyWithoutALookAtLinks) {
  for (const char* path : {"/a/b", "//a/./b/", "/a/x/../b", "/../a//b", "a/b"})
    EXPECT_EQ(normal_path(path), "/a/b") << path;
  for (const char* path : {"/", "", "/..", "/a/.."}) EXPECT_EQ(normal_path(path), "/") << path;
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
