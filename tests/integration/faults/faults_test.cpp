// Whatever is wrong with the cache, the compile happens: exit code, outputs and messages are as without hipcache.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "hipcache/protocol/daemon_socket.h"
#include "integration/support/single_compile.h"
#include "support/comes_true.h"

namespace hipcache::integration {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class Faults : public SingleCompile {
 protected:
  // The compile succeeds, prints nothing and makes an object, whose CUID may differ.
  void expect_compiles(Variables variables = {}) {
    variables["HIPCACHE_QUIET"] = "1";  // notices_test.cpp tests what is said otherwise
    fs::remove(project_ / "a.o");
    const Ended ended = cache_.run(command(), project_.path(), variables);
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_EQ(ended.err, "");
    EXPECT_TRUE(support::exists(project_ / "a.o"));
  }

  void send_bytes(const std::string& bytes) const {
    Result<UniqueFd> socket = protocol::connect_to(cache_.daemon_directory() + "/daemon.sock", 1s);
    ASSERT_TRUE(socket.ok()) << socket.error().message;
    ASSERT_EQ(send(socket->get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
    shutdown(socket->get(), SHUT_WR);
    const timeval limit{.tv_sec = std::chrono::seconds(support::kPatience).count(), .tv_usec = 0};
    ASSERT_EQ(setsockopt(socket->get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), 0);
    char rest[64];
    while (recv(socket->get(), rest, sizeof rest, 0) > 0) {
    }
  }

  std::vector<fs::path> store_files(const std::string& extension) const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(cache_.directory() + "/store"))
      if (entry.is_regular_file() && (extension.empty() || entry.path().extension() == extension))
        files.push_back(entry.path());
    return files;
  }
};

TEST_P(Faults, ACacheDirectoryThatCannotBeMadeLeavesTheCompileAlone) {
  const std::string file = project_.write("file", "");
  expect_compiles({{"HIPCACHE_DIR", file + "/cache"}});
}

TEST_P(Faults, ACacheDirectoryTooLongForASocketIsNamedByTheOptionsAndLeavesTheCompileAlone) {
  const Variables variables{{"HIPCACHE_DIR", project_ / std::string(120, 'd')}};
  expect_compiles(variables);
  const Ended shown = cache_.run({"--show-stats"}, "/", variables);
  EXPECT_NE(shown.exit_code, 0);
  EXPECT_NE(shown.err.find("HIPCACHE_DIR"), std::string::npos) << shown.err;
}

TEST_P(Faults, AWrongSettingIsNamedByTheOptionsAndLeavesTheCompileAlone) {
  for (const char* size : {"lots", "-1", "10X"}) {
    const Variables variables{{"HIPCACHE_MAX_SIZE", size}};
    expect_compiles(variables);
    const Ended shown = cache_.run({"--show-config"}, "/", variables);
    EXPECT_NE(shown.exit_code, 0);
    EXPECT_NE(shown.err.find("HIPCACHE_MAX_SIZE"), std::string::npos) << shown.err;
    EXPECT_EQ(std::count(shown.err.begin(), shown.err.end(), '\n'), 1) << shown.err;
  }
}

TEST_P(Faults, AConfigurationFileThatIsNoneLeavesTheCompileAlone) {
  const std::string file = project_.write("config.toml", "max_size = [1\n");
  const Variables variables{{"HIPCACHE_CONFIG", file}};
  expect_compiles(variables);
  const Ended shown = cache_.run({"--show-config"}, "/", variables);
  EXPECT_NE(shown.exit_code, 0);
  EXPECT_NE(shown.err.find(file), std::string::npos) << shown.err;
}

TEST_P(Faults, AMissingCompilerIsSaidAsAShellWould) {
  const Ended ended = cache_.run({"no-such-clang++", "-c", "a.hip"}, project_.path());
  EXPECT_EQ(ended.exit_code, 127);
  EXPECT_NE(ended.err.find("no-such-clang++"), std::string::npos) << ended.err;
}

TEST_P(Faults, ADaemonThatWasKilledIsReplacedAndItsStoreHits) {
  check(command());
  cache_.end_daemon(SIGKILL);
  const Counts again = check(command());
  EXPECT_EQ(again.hits, 1);
}

TEST_P(Faults, ADaemonThatIsKilledDuringACompileCostsNothingButTime) {
  write_slow_source();
  ASSERT_EQ(cache_.control("--start-server").exit_code, 0);
  Started compile = cache_.start(command("-O2"), project_.path());
  ASSERT_TRUE(support::comes_true([&] { return cache_.leftovers() != 0; }));
  cache_.end_daemon(SIGKILL);
  const Ended ended = compile.wait();
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  EXPECT_TRUE(support::exists(project_ / "a.o"));
  // Files that the client was not told of are removed when the next daemon starts.
  ASSERT_EQ(cache_.control("--start-server").exit_code, 0);
  EXPECT_TRUE(cache_.leaves_nothing());
}

TEST_P(Faults, ADaemonThatDoesNotAnswerIsNotWaitedForLong) {
  ASSERT_EQ(cache_.control("--start-server").exit_code, 0);
  const pid_t daemon = cache_.daemon();
  kill(daemon, SIGSTOP);
  expect_compiles();
  kill(daemon, SIGCONT);
}

TEST_P(Faults, AClientThatIsKilledLeavesNothingBehind) {
  write_slow_source();
  ASSERT_EQ(cache_.control("--start-server").exit_code, 0);
  Started compile = cache_.start(command("-O2"), project_.path());
  ASSERT_TRUE(support::comes_true([&] { return cache_.leftovers() != 0; }));
  kill(compile.pid(), SIGKILL);
  compile.wait();
  EXPECT_TRUE(cache_.leaves_nothing());
  EXPECT_FALSE(support::exists(project_ / "a.o"));
  check(command("-O2"));
}

TEST_P(Faults, GarbageOnTheSocketIsCountedAndServesOthersAsBefore) {
  check(command());
  const Counts before = cache_.counts();
  send_bytes("GET / HTTP/1.1\r\n\r\n");
  send_bytes(std::string("HCC1\xff\xff\xff\x7f\0\0\0\0", 12));  // larger than any message
  send_bytes(std::string(3, '\0'));                             // part of a header
  send_bytes(protocol::encode(protocol::PassThrough{"not a request"}));
  const Counts counted = cache_.counts() - before;
  EXPECT_EQ(counted.errors, 4);
  EXPECT_EQ(check(command()).hits, 1);
}

TEST_P(Faults, AFullDiskLosesTheCacheAndNoCompile) {
  const std::string small = project_.make_directory("small");
  ASSERT_EQ(mount("tmpfs", small.c_str(), "tmpfs", 0, "size=256k,mode=700"), 0) << "the tests run as root";
  {
    const Cache cache(Variables{{"HIPCACHE_DIR", small}});
    for (const char* object : {"a.o", "b.o", "c.o"}) {
      const Ended ended = cache.run(command("-O1", object), project_.path());
      EXPECT_EQ(ended.exit_code, 0) << ended.err;
      EXPECT_EQ(ended.err, "");
      EXPECT_TRUE(support::exists(project_ / object));
    }
    cache.control("--stop-server");
  }
  EXPECT_EQ(umount2(small.c_str(), MNT_DETACH), 0);
}

TEST_P(Faults, ADamagedDatabaseIsAMissAndNeverAWrongObject) {
  for (const char* extension : {".blob", ".sst", ".log", ""}) {
    check(command());
    ASSERT_EQ(cache_.control("--stop-server").exit_code, 0);
    for (const fs::path& file : store_files(extension)) {
      const auto size = fs::file_size(file);
      if (size == 0) continue;
      std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
      bytes.seekp(static_cast<std::streamoff>(size / 2));
      bytes.put('\x5a');
    }
    check(command());
    check(command());
  }
}

TEST_P(Faults, ATruncatedDatabaseIsAMissAndNeverAWrongObject) {
  check(command());
  ASSERT_EQ(cache_.control("--stop-server").exit_code, 0);
  for (const fs::path& file : store_files("")) fs::resize_file(file, fs::file_size(file) / 2);
  check(command());
  EXPECT_EQ(check(command()).hits, 1);
}

TEST_P(Faults, ACompileWhosePlanIsNotUnderstoodIsCachedAsOneStep) {
  expect_opaque(command(), {{"CCC_OVERRIDE_OPTIONS", "# +-save-temps"}});
}

TEST_P(Faults, APlaceThatCannotBeWrittenIsTheCompilersToComplainAbout) {
  const Counts nowhere = oracle_.check(command("-O1", "no/such/directory/a.o"));
  EXPECT_EQ(nowhere.reasons.at("output-not-writable"), 1);
  EXPECT_NE(oracle_.exit_code(), 0);
}

INSTANTIATE_TEST_SUITE_P(Compilers, Faults, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
