// The life of a daemon: starts on demand, one at a time, is replaced by another version, exits when idle, and never
// during a compile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <thread>

#include "hipcache/protocol/channel.h"
#include "hipcache/protocol/daemon_socket.h"
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

namespace fs = std::filesystem;

// The programs as installed elsewhere, some of them replaced.
class OtherInstallation : public OpaqueCompile, public testing::Test {
 protected:
  OtherInstallation() {
    const fs::path bin = fs::path(hipcache_program()).parent_path();
    const fs::path helpers = fs::path(hipcached_program()).parent_path();
    for (const fs::path& program : {bin / "hipcache", helpers / "hipcache-client", helpers / "hipcached",
                                    fs::path(hipcache_trace_library()).lexically_normal()})
      install(program, bin.parent_path());
    hipcache_ = installed(bin / "hipcache", bin.parent_path());
    helpers_ = installed(helpers, bin.parent_path());
  }

  fs::path installed(const fs::path& program, const fs::path& prefix) const {
    return fs::path(project_ / "installed") / program.lexically_relative(prefix);
  }
  void install(const fs::path& program, const fs::path& prefix) const {
    const fs::path there = installed(program, prefix);
    fs::create_directories(there.parent_path());
    fs::copy_file(program, there);
  }

  fs::path hipcache_, helpers_;
};

// A machine that stalls, or that swaps: the daemon lives, and its socket comes late.
class SlowDaemon : public OtherInstallation {
 protected:
  std::string slow_installation() const {
    fs::remove(helpers_ / "hipcached");
    const std::string daemon = project_.write((helpers_ / "hipcached").lexically_relative(project_.path()).string(),
                                              "#!/bin/sh\nsleep 4\nexec " + hipcached_program() + "\n");
    EXPECT_EQ(chmod(daemon.c_str(), 0755), 0);
    return hipcache_;
  }
};

// A distribution has other versions of libraries.
class MissingLibrary : public OtherInstallation {
 protected:
  // A program that the loader does not start.
  void link_without_library(const fs::path& program) {
    project_.write("gone.c", "int gone(void) { return 1; }\n");
    project_.write("program.c", "int gone(void); int main(void) { return gone(); }\n");
    const auto runs = [&](const Arguments& words) {
      const Ended ended = run(words, project_.path());
      EXPECT_EQ(ended.exit_code, 0) << ended.err;
    };
    runs({"/usr/bin/gcc", "-shared", "-fPIC", "-Wl,-soname,libgone.so.0.14", "gone.c", "-o", "libgone.so"});
    runs({"/usr/bin/gcc", "program.c", "-L.", "-lgone", "-o", program});
  }

  Ended hipcache(const Arguments& words) const {
    Arguments command{hipcache_};
    command.insert(command.end(), words.begin(), words.end());
    return run(command, project_.path(), cache_.variables({{"HIPCACHE_REMOTE", "file://" + (project_ / "shared")}}));
  }
};

TEST_F(MissingLibrary, OfTheProgramForSharedCachesIsNamed) {
  const std::string why = "does not start: [^\n]*libgone.so.0.14: cannot open shared object file";
  link_without_library(helpers_ / "hipcache-remote");
  fs::create_directory(project_ / "shared");
  project_.write("a.c", "int a(void) { return 1; }\n");
  const Ended compiled = hipcache({"gcc", "-c", "a.c", "-o", "a.o"});
  EXPECT_EQ(compiled.exit_code, 0) << compiled.err;
  EXPECT_TRUE(support::comes_true([&] {
    return testing::Matches(testing::ContainsRegex("Shared caches[^\n]*file://[^\n]*" + why))(hipcache({"-s"}).out);
  })) << hipcache({"-s"}).out;
  const Ended flushed = hipcache({"--flush"});
  EXPECT_EQ(flushed.exit_code, 0) << "the compiles all succeeded";
  EXPECT_THAT(flushed.err, testing::ContainsRegex(why));
  const Ended doctor = hipcache({"--doctor", "--", "gcc"});
  EXPECT_THAT(doctor.out, testing::ContainsRegex("error +[^\n]*/hipcache-remote " + why));
}

TEST_F(SlowDaemon, IsWaitedForByTheClientThatStartsIt) {
  project_.write("a.c", "int a(void) { return 1; }\n");
  const Ended ended = run({slow_installation(), "gcc", "-c", "a.c", "-o", "a.o"}, project_.path(), cache_.variables());
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_NE(cache_.daemon(), 0);
  EXPECT_EQ(cache_.counts().misses, 1) << "the compile was served";
}

// A process that dies closes the connection that it accepted, and its socket a moment later. Who connects in between is
// not served.
class DyingProcess {
 public:
  explicit DyingProcess(const std::string& socket) : pid_(fork()) {
    EXPECT_GE(pid_, 0);
    if (pid_ == 0) _exit(die_at(socket));
  }
  ~DyingProcess() {
    int status = 0;
    EXPECT_EQ(waitpid(pid_, &status, 0), pid_);
    EXPECT_EQ(status, 0) << "nobody asked it";
  }
  DyingProcess(const DyingProcess&) = delete;
  DyingProcess& operator=(const DyingProcess&) = delete;

 private:
  static int die_at(const std::string& socket) {
    Result<UniqueFd> listener = protocol::listen_at(socket);
    if (!listener || !protocol::accept_from(listener->get())) return 1;
    std::this_thread::sleep_for(100ms);
    return 0;
  }

  pid_t pid_;
};

class DyingDaemon : public OpaqueCompile, public testing::Test {
 protected:
  void asked(const std::function<void()>& ask) const {
    cache_.end_daemon(SIGKILL);
    const std::string socket = cache_.daemon_directory() + "/daemon.sock";
    unlink(socket.c_str());
    const DyingProcess daemon(socket);
    EXPECT_TRUE(support::comes_true([&] { return support::exists(socket); }));
    ask();
  }
};

TEST_F(DyingDaemon, CostsNoAnswer) {
  project_.write("a.c", "int a(void) { return 1; }\n");
  const Arguments compile{"/usr/bin/gcc", "-c", "a.c", "-o", "a.o"};
  check(compile);
  asked([&] { EXPECT_EQ(cache_.plan(compile, project_.path()).at("request_stored"), true); });
  asked([&] { EXPECT_EQ(cache_.control("--show-stats").exit_code, 0); });
  asked([&] { EXPECT_EQ(cache_.run(compile, project_.path()).exit_code, 0); });
  EXPECT_EQ(cache_.counts().hits, 1) << "the next daemon served the compile";
}

INSTANTIATE_TEST_SUITE_P(Compilers, Daemon, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
