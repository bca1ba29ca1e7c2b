#include "hipcache/base/process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <sstream>
#include <thread>

#include "hipcache/base/files.h"
#include "support/scratch.h"

namespace hipcache {
namespace {

using support::read_bytes;
using testing::HasSubstr;

class Process : public testing::Test {
 protected:
  std::string script(const std::string& name, const std::string& body) const {
    std::string path = scratch.write(name, "#!/bin/sh\n" + body + "\n");
    EXPECT_EQ(chmod(path.c_str(), 0755), 0);
    return path;
  }

  // Runs a shell command with its standard output in the file "out".
  Result<ExitStatus> shell(const std::string& command, std::vector<std::string> environment = {}) const {
    const UniqueFd out = out_file();
    SpawnRequest request{"/bin/sh", {"sh", "-c", command}, std::move(environment)};
    request.stdout_fd = out.get();
    return run(request);
  }

  static Result<ExitStatus> run(const SpawnRequest& request) {
    Result<pid_t> pid = spawn(request);
    if (!pid) return pid.error();
    return wait_for(*pid);
  }

  UniqueFd out_file() const {
    return UniqueFd(open((scratch / "out").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  }
  std::string out() const { return read_bytes(scratch / "out"); }

  support::Scratch scratch;
};

TEST_F(Process, TellsTheExitCode) {
  Result<ExitStatus> status = shell("exit 7");
  ASSERT_TRUE(status);
  EXPECT_EQ(status->exit_code, 7);
  EXPECT_EQ(status->signal, 0);
}

TEST_F(Process, TellsTheSignalThatEndedTheChildAsAShellDoes) {
  Result<ExitStatus> status = shell("kill -TERM $$");
  ASSERT_TRUE(status);
  EXPECT_EQ(status->signal, SIGTERM);
  EXPECT_EQ(status->exit_code, 128 + SIGTERM);
}

TEST_F(Process, GivesArgumentZeroAsAskedAndTheEnvironmentAlone) {
  const UniqueFd fd = out_file();
  SpawnRequest request{"/bin/sh", {}, {"A=b c"}};
  request.argv = {"named-so", "-c", "echo \"$A\"; tr '\\0' ' ' < /proc/$$/cmdline | cut -d' ' -f1"};
  request.environment.push_back("PATH=/usr/bin:/bin");
  request.stdout_fd = fd.get();
  ASSERT_TRUE(run(request));
  EXPECT_EQ(out(), "b c\nnamed-so\n");
}

TEST_F(Process, ReportsAMissingProgramAtOnceAndLeavesNoZombie) {
  Result<pid_t> pid = spawn({scratch / "absent", {"absent"}, {}});
  ASSERT_FALSE(pid);
  EXPECT_THAT(pid.error().message, HasSubstr("cannot start " + (scratch / "absent") + ": No such file"));
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(Process, ReportsAProgramThatIsNotExecutable) {
  Result<pid_t> pid = spawn({scratch.write("plain", "text"), {"plain"}, {}});
  ASSERT_FALSE(pid);
  EXPECT_THAT(pid.error().message, HasSubstr("Permission denied"));
}

TEST_F(Process, RedirectsStreamsThatAreGivenInAnyOrder) {
  const UniqueFd fd = out_file();
  const UniqueFd in(open(scratch.write("in", "from the file").c_str(), O_RDONLY | O_CLOEXEC));
  SpawnRequest request{"/bin/sh", {"sh", "-c", "cat; echo ' and stderr' >&2"}, {"PATH=/usr/bin:/bin"}};
  request.stdin_fd = in.get();
  request.stdout_fd = fd.get();
  request.stderr_fd = fd.get();
  ASSERT_TRUE(run(request));
  EXPECT_EQ(out(), "from the file and stderr\n");
}

TEST_F(Process, HandsOnDescriptorsThatAreMeantToBeInherited) {
  const std::string path = scratch.write("jobserver", "token");
  const UniqueFd fd(open(path.c_str(), O_RDONLY));
  Result<ExitStatus> status = shell("cat /proc/self/fd/" + std::to_string(fd.get()), {"PATH=/usr/bin:/bin"});
  ASSERT_TRUE(status);
  EXPECT_EQ(out(), "token");
}

TEST_F(Process, ShowsTheChildNoDescriptorOfOurOwn) {
  const UniqueFd fd = out_file();
  SpawnRequest request{"/bin/ls", {"ls", "/proc/self/fd"}, {}};
  request.stdout_fd = fd.get();
  ASSERT_TRUE(run(request));
  std::istringstream listed(out());
  std::vector<int> ours;
  for (int number = 0; listed >> number;) {
    const int flags = fcntl(number, F_GETFD);
    const bool meant_to_be_inherited = number <= STDERR_FILENO || (flags >= 0 && (flags & FD_CLOEXEC) == 0);
    if (!meant_to_be_inherited) ours.push_back(number);
  }
  EXPECT_LE(ours.size(), 1u) << "ls itself opens the directory that it lists, and nothing else";
}

TEST_F(Process, EndsTheChildWhenItsParentIsKilled) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, 0), 0);  // inherited by the grandchild: it reads end of file once all writers are gone
  const pid_t parent = fork();
  if (parent == 0) {
    close(ends[0]);
    const bool started = spawn({"/bin/sleep", {"sleep", "100"}, {}}).ok();
    const char told = started ? 'y' : 'n';
    if (write(ends[1], &told, 1) != 1) _exit(1);
    pause();
    _exit(0);
  }
  close(ends[1]);
  char told = 0;
  ASSERT_EQ(read(ends[0], &told, 1), 1);
  ASSERT_EQ(told, 'y');
  ASSERT_EQ(kill(parent, SIGKILL), 0);
  ASSERT_EQ(waitpid(parent, nullptr, 0), parent);
  EXPECT_EQ(read(ends[0], &told, 1), 0);
  close(ends[0]);
}

TEST_F(Process, StartsFromManyThreadsWithoutWaitingForEachOther) {
  std::vector<std::thread> threads;
  std::vector<int> codes(8, -1);
  for (int index = 0; index < 8; ++index)
    threads.emplace_back([&codes, index] {
      for (int round = 0; round < 10; ++round) {
        Result<ExitStatus> status = run({"/bin/sh", {"sh", "-c", "exit " + std::to_string(index)}, {}});
        if (status) codes[static_cast<std::size_t>(index)] = status->exit_code;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(codes, testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST_F(Process, WaitsForChildrenOnly) { EXPECT_FALSE(wait_for(getppid())); }

TEST_F(Process, FindsTheFirstExecutableOfThatNameInPath) {
  scratch.write("first/cc", "not executable");
  scratch.make_directory("second/cc");
  const std::string wanted = script("third/cc", "");
  script("fourth/cc", "");
  const std::string path =
      scratch / "first" + ":" + (scratch / "second") + ":" + (scratch / "third") + ":" + (scratch / "fourth");
  Result<std::string> found = find_program("cc", path, "/");
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, wanted);
}

TEST_F(Process, TakesAnEmptyOrRelativeEntryOfPathFromTheDirectory) {
  const std::string here = script("cc", "");
  const std::string below = script("bin/ld", "");
  EXPECT_EQ(find_program("cc", "/nowhere:", scratch.path()).value(), here);
  EXPECT_EQ(find_program("ld", "/nowhere:bin", scratch.path()).value(), below);
}

TEST_F(Process, TakesANameWithASlashFromTheDirectoryAndNotFromPath) {
  const std::string wanted = script("bin/cc", "");
  EXPECT_EQ(find_program("bin/cc", "", scratch.path()).value(), wanted);
  EXPECT_EQ(find_program(wanted, "", "/").value(), wanted);
}

TEST_F(Process, NamesAProgramThatIsNowhere) {
  EXPECT_EQ(find_program("no-such-cc", "/usr/bin", "/").error().message,
            "could not find program \"no-such-cc\" in PATH");
  EXPECT_EQ(find_program("./no-such-cc", "/usr/bin", scratch.path()).error().message,
            "could not find program \"./no-such-cc\"");
  EXPECT_FALSE(find_program("", "/usr/bin", "/"));
}

}  // namespace
}  // namespace hipcache
