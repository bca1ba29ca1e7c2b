// A daemon that is stopped or hangs: one client waits for it, the others run the compiler at once, until it answers.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "hipcache/base/files.h"
#include "integration/support/opaque_compile.h"

namespace hipcache::integration {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr int kOthers = 8;

class HungDaemon : public OpaqueCompile, public testing::Test {
 protected:
  HungDaemon() {
    project_.write("a.c", "int a(void) { return 1; }\n");
    expect_run(command_);
    expect_hit(command_);
  }

  // Compiles while the daemon is silent; returns how long that took.
  Clock::duration compile() const {
    fs::remove(project_ / "a.o");
    const auto began = Clock::now();
    const Ended ended = cache_.run(command_, project_.path());
    const auto took = Clock::now() - began;
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_EQ(ended.err, "");
    EXPECT_TRUE(support::exists(project_ / "a.o"));
    return took;
  }

  Clock::duration compile_others() const {
    Clock::duration all{};
    for (int count = 0; count < kOthers; ++count) all += compile();
    return all;
  }

  // The daemon still has to handle the connections that clients gave up.
  void expect_hits_again() {
    const Counts before = cache_.counts();
    compile();
    EXPECT_EQ((cache_.counts() - before).hits, 1);
  }

  std::string mark() const { return cache_.daemon_directory() + "/daemon.hung"; }

  const Arguments command_ = words("gcc -c a.c -o a.o");
};

// The daemon cannot answer, and every client can see that for itself.
TEST_F(HungDaemon, ThatIsStoppedIsWaitedForByNobody) {
  const pid_t daemon = cache_.daemon();
  kill(daemon, SIGSTOP);
  const auto took = compile() + compile_others();
  kill(daemon, SIGCONT);
  EXPECT_LT(took, 10s) << "less than one wait of a client that knows nothing";
  expect_hits_again();
}

// A debugger holds its threads: the daemon is not stopped, but does not run.
TEST_F(HungDaemon, CostsOneClientItsPatienceAndTheOthersAMomentUntilItAnswers) {
  const pid_t daemon = cache_.daemon();
  std::vector<pid_t> threads;
  for (const auto& entry : fs::directory_iterator("/proc/" + std::to_string(daemon) + "/task"))
    threads.push_back(std::stoi(entry.path().filename()));
  for (const pid_t thread : threads) {
    ASSERT_EQ(ptrace(PTRACE_ATTACH, thread, nullptr, nullptr), 0);
    ASSERT_EQ(waitpid(thread, nullptr, __WALL), thread);
  }
  const auto first = compile();
  EXPECT_TRUE(support::exists(mark()));
  const auto others = compile_others();
  for (const pid_t thread : threads) EXPECT_EQ(ptrace(PTRACE_DETACH, thread, nullptr, nullptr), 0);
  EXPECT_GE(first, 10s) << "a daemon that is only slow does not lose its clients";
  EXPECT_LT(others, first / 2);
  expect_hits_again();
}

// Only the mark says that the daemon hangs. Clients that get an answer use it, and a miss removes the mark.
TEST_F(HungDaemon, IsForgottenOnceItAnswers) {
  {
    const UniqueFd made(open(mark().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  }
  compile();
  project_.write("a.c", "int a(void) { return 2; }\n");
  // If the machine is so slow that no answer comes within a moment, the compiler runs alone until the mark is old.
  const auto until = Clock::now() + 60s;
  while (support::exists(mark()) && Clock::now() < until) compile();
  EXPECT_FALSE(support::exists(mark()));
}

// The mark of a daemon that is gone does not apply to the next one.
TEST_F(HungDaemon, ThatWasKilledIsReplacedAndItsMarkCountsForNothing) {
  {
    const UniqueFd made(open(mark().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  }
  cache_.end_daemon(SIGKILL);
  expect_hit(command_);
  EXPECT_NE(cache_.daemon(), 0);
}

}  // namespace
}  // namespace hipcache::integration
