#include "hipcache/launcher/place.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <thread>
#include <vector>

#include "hipcache/base/files.h"
#include "support/file_clock.h"
#include "support/scratch.h"
#include "support/system_calls.h"

namespace hipcache {
namespace {

using support::read_bytes;
using support::Scratch;

constexpr int kNoDescriptor = 1 << 20;

launch_output with(const std::string& path, const std::string& bytes) {
  return {.path = path.c_str(),
          .in_place = false,
          .executable = false,
          .file = -1,
          .bytes = bytes.data(),
          .size = bytes.size()};
}

launch_output with(const std::string& path, int file) {
  return {.path = path.c_str(), .in_place = false, .executable = false, .file = file, .bytes = nullptr, .size = 0};
}

bool place(const std::vector<launch_output>& outputs, launch_failure* failure) {
  const launch_delivery delivery{.outputs = outputs.data(), .output_count = outputs.size()};
  return launch_deliver(&delivery, failure);
}

mode_t mode_of(const std::string& path) {
  struct stat status{};
  EXPECT_EQ(stat(path.c_str(), &status), 0);
  return status.st_mode & 07777;
}

TEST(LaunchPlace, WritesBytesOfAMessageOfMemoryAndOfFilesWithTheModeThatTheUmaskLeaves) {
  const Scratch scratch;
  const mode_t before = umask(027);
  const std::string bytes(300000, 'o');
  const std::string path = scratch / "placed";
  const UniqueFd memory = std::move(sealed_memory(bytes, "object")).value();
  const UniqueFd file(open(scratch.write("source", bytes).c_str(), O_RDONLY | O_CLOEXEC));
  for (launch_output output : {with(path, bytes), with(path, memory.get()), with(path, file.get())}) {
    launch_failure failure{};
    ASSERT_TRUE(place({output}, &failure));
    EXPECT_EQ(read_bytes(path), bytes);
    EXPECT_EQ(mode_of(path), 0640u);
    output.executable = true;
    ASSERT_TRUE(place({output}, &failure));
    EXPECT_EQ(mode_of(path), 0750u);
  }
  umask(before);
}

std::uint64_t calls(const std::map<std::uint64_t, std::uint64_t>& made, std::uint64_t number) {
  const auto at = made.find(number);
  return at == made.end() ? 0 : at->second;
}

// ext4 writes a file to the disk, at once, that replaces another one by rename, or that was truncated to nothing.
TEST(LaunchPlace, ReplacesAFileWithoutHavingItWrittenToTheDisk) {
  const Scratch scratch;
  const std::string bytes = "object";
  const std::string path = scratch.write("a.o", "old object");
  const launch_output output = with(path, bytes);
  const auto made = support::system_calls_of([&] {
    launch_failure failure{};
    EXPECT_TRUE(place({output}, &failure));
  });
  EXPECT_EQ(read_bytes(path), bytes);
  EXPECT_EQ(list_directory(scratch.path())->size(), 1u);
  EXPECT_EQ(calls(made, SYS_renameat2), 1u);
#ifdef SYS_rename
  EXPECT_EQ(calls(made, SYS_rename), 0u);
#endif
  EXPECT_LE(calls(made, SYS_linkat), 1u);
}

TEST(LaunchPlace, GivesAnOutputThatManyPlaceAtOnceToOneOfThem) {
  const Scratch scratch;
  const std::string path = scratch.write("a.o", "old");
  std::vector<std::thread> threads;
  for (char letter = 'a'; letter < 'e'; ++letter)
    threads.emplace_back([&path, letter] {
      const std::string bytes(5000, letter);
      const launch_output output = with(path, bytes);
      launch_failure failure{};
      for (int round = 0; round < 100; ++round) EXPECT_TRUE(place({output}, &failure));
    });
  for (std::thread& thread : threads) thread.join();
  const std::string bytes = read_bytes(path);
  ASSERT_EQ(bytes.size(), 5000u);
  EXPECT_EQ(bytes, std::string(5000, bytes.front()));
  EXPECT_EQ(list_directory(scratch.path())->size(), 1u);
}

TEST(LaunchPlace, OverwritesAFileInPlaceWithItsModeAndItsOtherName) {
  const Scratch scratch;
  const std::string path = scratch.write("a.d", "a.o: a.c\n");
  const std::string other = scratch / "other.d";
  ASSERT_EQ(link(path.c_str(), other.c_str()), 0);
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  const UniqueFd memory = std::move(sealed_memory("a.o: b.h\n", "depfile")).value();
  for (const std::string bytes : {"longer than before", "a.o: a.c\n", "same: .c\n", "short", ""}) {
    launch_output output = with(path, bytes);
    output.in_place = true;
    struct stat before{};
    ASSERT_EQ(stat(path.c_str(), &before), 0);
    support::await_next_tick();
    launch_failure failure{};
    ASSERT_TRUE(place({output}, &failure));
    EXPECT_EQ(read_bytes(other), bytes);
    EXPECT_EQ(mode_of(path), 0600u);
    struct stat after{};
    ASSERT_EQ(stat(path.c_str(), &after), 0);
    EXPECT_TRUE(after.st_mtim.tv_sec != before.st_mtim.tv_sec || after.st_mtim.tv_nsec != before.st_mtim.tv_nsec);
    output = with(path, memory.get());
    output.in_place = true;
    ASSERT_TRUE(place({output}, &failure));
    EXPECT_EQ(read_bytes(other), "a.o: b.h\n");
  }
}

TEST(LaunchPlace, NothingIsWrittenWhereOneOfThePlacesIsNoFileToBeReplaced) {
  const Scratch scratch;
  const std::string good = scratch / "good";
  const std::string bytes = "bytes";
  for (const std::string& other : {scratch.make_directory("taken/in"), std::string("/dev/null")}) {
    launch_failure failure{};
    EXPECT_FALSE(place({with(good, bytes), with(other, bytes)}, &failure));
    EXPECT_STREQ(failure.path, other.c_str());
    EXPECT_FALSE(support::exists(good));
  }
}

TEST(LaunchPlace, LeavesNothingBehindWhereAFileCannotBeWritten) {
  const Scratch scratch;
  const std::string nowhere = scratch / "no/such";
  const std::string bytes = "bytes";
  launch_failure failure{};
  launch_output output = with(nowhere, bytes);
  EXPECT_FALSE(place({output}, &failure));
  EXPECT_STREQ(failure.what, "cannot write");
  EXPECT_EQ(failure.error, ENOENT);
  const std::string unread = scratch / "unread";
  output = with(unread, kNoDescriptor);  // found out when the temporary file is there
  EXPECT_FALSE(place({output}, &failure));
  EXPECT_TRUE(list_directory(scratch.path())->empty());
}

TEST(LaunchPlace, APathTooLongForItsTemporaryFileIsAnError) {
  const std::string path = "/" + std::string(5000, 'p');
  const std::string bytes = "bytes";
  const launch_output output = with(path, bytes);
  launch_failure failure{};
  EXPECT_FALSE(place({output}, &failure));
}

TEST(LaunchPlace, RemovesFilesAndLeavesWhatIsNone) {
  const Scratch scratch;
  const std::string file = scratch.write("a.o", "old");
  const std::string directory = scratch.make_directory("directory");
  const std::string gone = scratch / "gone";
  const char* const paths[] = {directory.c_str(), gone.c_str(), file.c_str()};
  const launch_delivery delivery{.removed = paths, .removed_count = 3};
  launch_failure failure{};
  EXPECT_TRUE(launch_deliver(&delivery, &failure));
  EXPECT_FALSE(support::exists(file));
  EXPECT_TRUE(support::exists(directory));
}

}  // namespace
}  // namespace hipcache
