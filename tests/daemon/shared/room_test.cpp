// What limits further steps: the -j of the build tool above, and memory.
#include "daemon/shared/job_slots.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <sstream>

#include "support/comes_true.h"
#include "support/scratch.h"

namespace hipcache::daemon {
namespace {

unsigned given(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return jobs_given(words);
}

TEST(JobsGiven, AreThoseOfTheCommand) {
  for (const char* line :
       {"ninja -j3", "/usr/bin/ninja -C build -j 3 all", "make -j3", "gmake -sj3", "make -kj 3", "make --jobs=3",
        "make --jobs 3", "ninja -vj3", "samu -j3", "make -j8 -j3", "ninja -k 0 -j3"})
    EXPECT_EQ(given(line), 3u) << line;
  for (const char* line : {"ninja", "make -j", "make -j all", "make -C j3", "make -Cj3", "make --jobs", "ninja -- -j3",
                           "cmake --build . -j3", "ninja -C -j3", "make -f -j3", "ninja -d -j3", "make -jx", ""})
    EXPECT_EQ(given(line), 0u) << line;
}

// Its child tells its number itself: until it runs a program of its own, it is a ninja with -j3 as well.
std::string script_of(const std::string& told) {
  return "/bin/sh -c 'echo $$ > " + told + ".new; mv " + told + ".new " + told + "; exec sleep 1000' & wait";
}

// A shell by the name of ninja, with a child that has none.
TEST(BuildTool, IsTheNearestOneAboveThatWasGivenJobs) {
  const support::Scratch scratch;
  std::filesystem::copy_file("/bin/sh", scratch / "ninja");
  const std::string told = scratch / "child";
  const pid_t tool = fork();
  ASSERT_GE(tool, 0);
  if (tool == 0) {
    execl((scratch / "ninja").c_str(), "ninja", "-c", script_of(told).c_str(), "-j3", nullptr);
    _exit(1);
  }
  EXPECT_TRUE(support::comes_true([&] { return std::filesystem::exists(told); }));
  const pid_t child = std::stoi(support::read_bytes(told));
  const BuildTool found = build_tool_of(child);
  EXPECT_EQ(found.process, tool);
  EXPECT_EQ(found.jobs, 3u);
  EXPECT_NE(found.started, 0u);
  EXPECT_EQ(build_tool_of(tool), found);
  EXPECT_EQ(build_command_of(child), (std::vector<std::string>{"ninja", "-c", script_of(told), "-j3"}));
  EXPECT_TRUE(build_command_of(0).empty());
  kill(child, SIGKILL);
  waitpid(tool, nullptr, 0);
  EXPECT_EQ(build_tool_of(0), BuildTool());
}

class AvailableMemory : public testing::Test {
 protected:
  void write_group(const std::string& name, const std::string& limit, const std::string& used) {
    scratch_.write("sys/fs/cgroup" + name + "/memory.max", limit);
    scratch_.write("sys/fs/cgroup" + name + "/memory.current", used);
    scratch_.write("sys/fs/cgroup" + name + "/memory.stat", "anon 1\ninactive_file 50\n");
  }
  std::uint64_t available() const { return available_memory(7, scratch_.path()); }

  support::Scratch scratch_;
};

TEST_F(AvailableMemory, IsUnknownWithoutTheKernelsFiles) { EXPECT_EQ(available(), kUnknownMemory); }

TEST_F(AvailableMemory, IsTheLeastOfTheMachinesAndOfEachGroups) {
  scratch_.write("proc/meminfo", "MemTotal: 9 kB\nMemAvailable:       4 kB\n");
  EXPECT_EQ(available(), 4096u);
  scratch_.write("proc/7/cgroup", "0::/a/b\n");
  EXPECT_EQ(available(), 4096u);
  write_group("/a/b", "max\n", "100\n");
  EXPECT_EQ(available(), 4096u);
  write_group("/a", "1000\n", "100\n");
  EXPECT_EQ(available(), 950u) << "of the 100 that are taken, 50 are files";
  write_group("/a/b", "300\n", "100\n");
  EXPECT_EQ(available(), 250u);
  write_group("", "200\n", "500\n");
  EXPECT_EQ(available(), 0u) << "more is taken than the limit";
}

TEST_F(AvailableMemory, IsReadOfTheFirstVersionOfControlGroups) {
  scratch_.write("proc/7/cgroup", "12:cpu,memory:/a\n9:memory:/a\n");
  scratch_.write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1000\n");
  scratch_.write("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "300\n");
  scratch_.write("sys/fs/cgroup/memory/a/memory.stat", "inactive_file 1\ntotal_inactive_file 100\n");
  EXPECT_EQ(available(), 800u);
}

TEST(StepMemory, IsTheStepsOwnOrTheMostOfItsLabel) {
  StepMemory memory;
  const Digest first = digest_of("first"), second = digest_of("second");
  EXPECT_EQ(memory.expected(first, "host"), 0u);
  memory.note(first, "host", 10);
  memory.note(second, "host", 30);
  EXPECT_EQ(memory.expected(first, "host"), 10u);
  EXPECT_EQ(memory.expected(digest_of("third"), "host"), 30u);
  EXPECT_EQ(memory.expected(digest_of("third"), "device gfx90a"), 0u);
  for (int step = 0; step < 16; ++step) memory.note(first, "host", 20);
  EXPECT_EQ(memory.expected(digest_of("third"), "host"), 20u) << "only the last ones count";
}

}  // namespace
}  // namespace hipcache::daemon
