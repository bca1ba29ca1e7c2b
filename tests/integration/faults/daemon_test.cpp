// The life of a daemon: starts on demand, one at a time, is replaced by another version, exits when idle, and never
// during a compile.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <filesystem>
#include <thread>

#include "hipcache/protocol/channel.h"
#include "integration/support/opaque_compile.h"
#include "integration/support/single_compile.h"
#include "support/comes_true.h"

namespace hipcache::integration {
namespace {

using namespace std::chrono_literals;

class Daemon : public SingleCompile {};

TEST_P(Daemon, IsStartedByTheFirstCompileAndServesTheNext) {
  EXPECT_EQ(cache_.daemon(), 0);
  check(command());
  const pid_t first = cache_.daemon();
  EXPECT_NE(first, 0);
  check(command());
  EXPECT_EQ(cache_.daemon(), first);
}

TEST_P(Daemon, IsStartedOnceByManyClientsAtOnce) {
  std::vector<Started> clients;
  for (int i = 0; i < 8; ++i)
    clients.push_back(cache_.start(command("-O1", "o" + std::to_string(i) + ".o"), project_.path()));
  for (Started& client : clients) EXPECT_EQ(client.wait().exit_code, 0);
  const Counts counted = cache_.counts();
  EXPECT_EQ(counted.misses + counted.partials + counted.hits, 8) << "all were served by one daemon";
}

TEST_P(Daemon, StartsAndStopsWhenAskedAndDoesNotMindBeingAskedTwice) {
  EXPECT_EQ(cache_.control("--start-server").exit_code, 0);
  EXPECT_EQ(cache_.control("--start-server").exit_code, 0);
  EXPECT_NE(cache_.daemon(), 0);
  EXPECT_EQ(cache_.control("--stop-server").exit_code, 0);
  EXPECT_EQ(cache_.daemon(), 0);
  EXPECT_EQ(cache_.control("--stop-server").exit_code, 0);
}

TEST_P(Daemon, KeepsItsStatisticsOverARestartUntilTheyAreZeroed) {
  check(command());
  cache_.control("--stop-server");
  EXPECT_EQ(cache_.counts().run.at("device"), 2);
  EXPECT_EQ(cache_.control("--zero-stats").exit_code, 0);
  EXPECT_TRUE(cache_.counts().run.at("device") == 0 && cache_.counts().misses == 0);
  EXPECT_EQ(check(command()).hits, 1) << "the store stays";
}

TEST_P(Daemon, ForgetsEverythingWhenClearedButCompilesOn) {
  check(command());
  EXPECT_EQ(cache_.control("--clear").exit_code, 0);
  EXPECT_EQ(cache_.counts().json.at("store").at("actions"), 0);
  EXPECT_EQ(cache_.counts().json.at("store").at("blobs"), 0);
  EXPECT_EQ(check(command()).run.at("device"), 2);
}

TEST_P(Daemon, EndsWhenIdleButNeverUnderACompile) {
  const Cache impatient(Variables{{"HIPCACHE_IDLE_TIMEOUT", "1"}});
  write_slow_source();
  const Ended ended = impatient.run(command("-O2"), project_.path());
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_TRUE(support::comes_true([&] { return impatient.daemon() == 0; }));
  EXPECT_EQ(impatient.counts().misses, 1) << "the compile was served to its end, and counted";
}

TEST_P(Daemon, EndsInOrderOnSigterm) {
  check(command());
  cache_.end_daemon(SIGTERM);
  EXPECT_FALSE(support::exists(cache_.daemon_directory() + "/daemon.sock"));
  EXPECT_EQ(check(command()).hits, 1);
}

TEST_P(Daemon, TellsAClientOfAnotherVersionAndStopsWhenThatOneAsks) {
  check(command());
  const auto ask = [this](const protocol::Message& message) {
    Result<UniqueFd> socket = protocol::connect_to(cache_.daemon_directory() + "/daemon.sock", 1s);
    EXPECT_TRUE(socket.ok());
    protocol::Channel channel(std::move(*socket));
    EXPECT_TRUE(channel.send(message, 1s).ok());
    Result<protocol::Received> reply = channel.receive(5s);
    EXPECT_TRUE(reply.ok()) << reply.error().message;
    return std::move(reply->message);
  };
  protocol::CompileRequest request;
  request.build = "9.9.9/1";
  EXPECT_TRUE(std::holds_alternative<protocol::VersionMismatch>(ask(request)));
  EXPECT_TRUE(std::holds_alternative<protocol::ControlReply>(
      ask(protocol::ControlRequest{"9.9.9/1", protocol::ControlKind::stop})));
  EXPECT_TRUE(support::comes_true([&] { return cache_.daemon() == 0; }));
}

TEST_P(Daemon, StaysWithinItsSizeByForgettingWhatWasUsedLeastRecently) {
  const Cache small(Variables{{"HIPCACHE_MAX_SIZE", "300k"}});
  for (int i = 0; i < 6; ++i) {
    const Ended ended = small.run(
        command("-O1 -fconstexpr-depth=" + std::to_string(100 + i), "o" + std::to_string(i) + ".o"), project_.path());
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
  }
  EXPECT_EQ(small.control("--cleanup").exit_code, 0);
  EXPECT_LE(small.counts().json.at("store").at("bytes_on_disk"), 300'000);
}

// A machine that stalls, or that swaps: the daemon lives, and its socket comes late.
class SlowDaemon : public OpaqueCompile, public testing::Test {
 protected:
  // The programs as installed elsewhere, with a daemon that takes some seconds to start.
  std::string slow_installation() const {
    namespace fs = std::filesystem;
    const fs::path bin = fs::path(hipcache_program()).parent_path();
    const fs::path helpers = fs::path(hipcached_program()).parent_path();
    const fs::path there = fs::path(project_ / "installed/bin");
    const fs::path their_helpers = (there / helpers.lexically_relative(bin)).lexically_normal();
    fs::create_directories(there);
    fs::create_directories(their_helpers);
    fs::copy_file(hipcache_program(), there / "hipcache");
    fs::copy_file(helpers / "hipcache-client", their_helpers / "hipcache-client");
    const std::string daemon =
        project_.write((their_helpers / "hipcached").lexically_relative(project_.path()).string(),
                       "#!/bin/sh\nsleep 4\nexec " + hipcached_program() + "\n");
    EXPECT_EQ(chmod(daemon.c_str(), 0755), 0);
    return there / "hipcache";
  }
};

TEST_F(SlowDaemon, IsWaitedForByTheClientThatStartsIt) {
  project_.write("a.c", "int a(void) { return 1; }\n");
  const Ended ended = run({slow_installation(), "gcc", "-c", "a.c", "-o", "a.o"}, project_.path(), cache_.variables());
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_NE(cache_.daemon(), 0);
  EXPECT_EQ(cache_.counts().misses, 1) << "the compile was served";
}

INSTANTIATE_TEST_SUITE_P(Compilers, Daemon, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
