// A daemon that lacks descriptors, does not answer, or is stopped at a difficult moment.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "hipcache/base/own_directory.h"
#include "hipcache/protocol/daemon_socket.h"
#include "integration/support/single_compile.h"
#include "support/comes_true.h"

namespace hipcache::integration {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class DaemonLimits : public SingleCompile {
 protected:
  // Runs a command line with the cache's variables, under limits of the shell.
  Ended under(const std::string& limits, const std::string& command_line) const {
    return run({"/bin/sh", "-c", limits + " && exec " + command_line}, project_.path(), cache_.variables());
  }
  std::string compile_line() const {
    std::string line = hipcache_program();
    for (const std::string& word : command()) line += " '" + word + "'";
    return line;
  }
  long set_aside() const {
    long found = 0;
    for (const auto& entry : fs::directory_iterator(cache_.directory() + "/store/v3"))
      found += entry.path().filename().string().starts_with("db.damaged") ? 1 : 0;
    return found;
  }
  // Under the limits no daemon starts, and one line that contains `said` reports that. A compile runs the compiler
  // alone.
  void expect_no_daemon_under(const std::string& limits, const std::string& said) const {
    const Ended shown = under(limits, hipcache_program() + " --show-stats");
    EXPECT_NE(shown.exit_code, 0);
    EXPECT_THAT(shown.err, HasSubstr(said)) << shown.err;
    EXPECT_EQ(std::count(shown.err.begin(), shown.err.end(), '\n'), 1) << shown.err;
    const Ended compiled = under(limits, compile_line());
    EXPECT_EQ(compiled.exit_code, 0);
    EXPECT_EQ(compiled.err, "");
    EXPECT_EQ(cache_.daemon(), 0);
  }
  static bool ends(const UniqueFd& process) {
    pollfd watched{process.get(), POLLIN, 0};
    return poll(&watched, 1, 60'000) == 1;
  }
};

TEST_P(DaemonLimits, ThatItsClientLoweredAreRaised) {
  EXPECT_EQ(under("ulimit -Sn 17", hipcache_program() + " --start-server").exit_code, 0);
  std::vector<Started> clients;
  for (int i = 0; i < 24; ++i)
    clients.push_back(cache_.start(command("-O1", "o" + std::to_string(i) + ".o"), project_.path()));
  for (Started& client : clients) EXPECT_EQ(client.wait().exit_code, 0);
  const Counts counted = cache_.counts();
  EXPECT_EQ(counted.misses + counted.partials + counted.hits, 24) << "all were served";
}

TEST_P(DaemonLimits, ThatAreTooLowAreSaidAndCostNeitherACompileNorTheStore) {
  check(command());
  EXPECT_EQ(cache_.control("--stop-server").exit_code, 0);
  // Below 32 the programs themselves do not start, because the test passes some descriptors on.
  for (int limit = 32; limit < 100; limit += 17) {
    SCOPED_TRACE(limit);
    const std::string number = std::to_string(limit);
    expect_no_daemon_under("ulimit -n " + number, "may open " + number + " files");
  }
  EXPECT_EQ(check(command()).hits, 1);
  EXPECT_EQ(set_aside(), 0);
}

TEST_P(DaemonLimits, OfFileSizeThatTheStoreOutgrowsStartNoDaemonForOthers) {
  check(command());
  EXPECT_EQ(cache_.control("--stop-server").exit_code, 0);
  expect_no_daemon_under("ulimit -f 1000", "ulimit -Hf");
  EXPECT_EQ(check(command()).hits, 1);
}

TEST_P(DaemonLimits, OfMemoryLoseNothingThatIsStored) {
  check(command());
  EXPECT_EQ(cache_.control("--stop-server").exit_code, 0);
  for (int kilobytes = 20'000; kilobytes < 200'000; kilobytes += 30'000) {
    SCOPED_TRACE(kilobytes);
    [[maybe_unused]] const Ended started =
        under("ulimit -v " + std::to_string(kilobytes), hipcache_program() + " --start-server");
    if (const pid_t daemon = cache_.daemon(); daemon != 0) kill(daemon, SIGKILL);  // it may have ended by itself
    EXPECT_TRUE(support::comes_true([this] { return cache_.daemon() == 0; }));
    EXPECT_EQ(set_aside(), 0);
  }
  EXPECT_EQ(check(command()).hits, 1);
}

TEST_P(DaemonLimits, StopsADaemonWhoseSocketIsGone) {
  check(command());
  const UniqueFd daemon = cache_.watch_daemon();
  fs::remove(cache_.daemon_directory() + "/daemon.sock");
  const Ended stopped = cache_.control("--stop-server");
  EXPECT_EQ(stopped.exit_code, 0) << stopped.err;
  EXPECT_EQ(stopped.out, "hipcached stopped\n");
  EXPECT_TRUE(ends(daemon));
}

TEST_P(DaemonLimits, SaysOfADaemonThatDoesNotEndThatItLives) {
  check(command());
  const pid_t pid = cache_.daemon();
  ASSERT_EQ(kill(pid, SIGSTOP), 0);
  fs::remove(cache_.daemon_directory() + "/daemon.sock");
  const Ended stopped = cache_.control("--stop-server");
  EXPECT_NE(stopped.exit_code, 0);
  EXPECT_THAT(stopped.err, HasSubstr("process " + std::to_string(pid)));
  EXPECT_EQ(std::count(stopped.err.begin(), stopped.err.end(), '\n'), 1) << stopped.err;
  ASSERT_EQ(kill(pid, SIGCONT), 0);
  EXPECT_TRUE(support::comes_true([this] { return cache_.daemon() == 0; }));
}

TEST_P(DaemonLimits, EndAtOnceWithASecondSignalAndNothingIsLost) {
  check(command());
  const UniqueFd daemon = cache_.watch_daemon();
  const pid_t pid = cache_.daemon();
  // A client that sends nothing, so its session lasts some seconds.
  Result<UniqueFd> mute = protocol::connect_to(cache_.daemon_directory() + "/daemon.sock", 1s);
  ASSERT_TRUE(mute.ok());
  ASSERT_EQ(kill(pid, SIGTERM), 0);
  ASSERT_TRUE(support::comes_true([this] { return !support::exists(cache_.daemon_directory() + "/daemon.sock"); }));
  const auto asked = std::chrono::steady_clock::now();
  ASSERT_EQ(kill(pid, SIGTERM), 0);
  EXPECT_TRUE(ends(daemon));
  EXPECT_LT(std::chrono::steady_clock::now() - asked, 4s) << "the mute client is given 5 s";
  EXPECT_EQ(check(command()).hits, 1);
  EXPECT_EQ(set_aside(), 0);
}

INSTANTIATE_TEST_SUITE_P(Compilers, DaemonLimits, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
