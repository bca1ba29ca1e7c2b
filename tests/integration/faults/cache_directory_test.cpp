// Cache directories with wrong owners: removed or replaced under their daemon, another user's, writable by others, or
// missing.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "hipcache/base/own_directory.h"
#include "integration/support/single_compile.h"
#include "support/own_mounts.h"

namespace hipcache::integration {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr uid_t kSomebodyElse = 12345;

class CacheDirectory : public SingleCompile {
 protected:
  std::string directory() const { return cache_.directory(); }

  Ended compile(const Variables& variables = {}) {
    fs::remove(project_ / "a.o");
    return cache_.run(command(), project_.path(), variables);
  }

  // The compile succeeds and prints nothing.
  void expect_compiles(Variables variables = {}) {
    variables["HIPCACHE_QUIET"] = "1";  // notices_test.cpp tests what is said otherwise
    const Ended ended = compile(variables);
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_EQ(ended.err, "");
    EXPECT_TRUE(support::exists(project_ / "a.o"));
  }

  // Each option prints one line that says what is wrong and how to fix it.
  void expect_said(const std::string& what, const Variables& variables = {}) {
    for (const char* option : {"--show-stats", "--zero-stats", "--clear", "--cleanup", "--start-server"}) {
      const Ended ended = cache_.run({option}, "/", variables);
      EXPECT_NE(ended.exit_code, 0) << option;
      EXPECT_THAT(ended.err, HasSubstr("hipcache: error: ")) << option;
      EXPECT_THAT(ended.err, HasSubstr(what)) << option;
      EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    }
  }

  static bool ends(const UniqueFd& process) {
    pollfd watched{process.get(), POLLIN, 0};
    return poll(&watched, 1, 60'000) == 1;
  }

  // A daemon whose directory was replaced exits, and leaves the next daemon's socket and store alone.
  void expect_only_the_second_serves(const UniqueFd& first) {
    EXPECT_EQ(compile().exit_code, 0);
    EXPECT_TRUE(ends(first)) << "the first daemon has noticed";
    const pid_t second = cache_.daemon();
    ASSERT_NE(second, 0);
    check(command());
    for (int time = 0; time < 3; ++time) EXPECT_EQ(check(command()).hits, 1);
    EXPECT_EQ(cache_.daemon(), second) << "its socket is there";
    EXPECT_EQ(cache_.control("--stop-server").exit_code, 0);
    EXPECT_EQ(check(command()).hits, 1) << "its store is whole";
    EXPECT_EQ(set_aside(), 0);
  }

  long set_aside() const {
    long found = 0;
    for (const auto& entry : fs::directory_iterator(directory() + "/store/v3"))
      found += entry.path().filename().string().starts_with("db.damaged") ? 1 : 0;
    return found;
  }
};

TEST_P(CacheDirectory, ThatIsRemovedUnderItsDaemonIsTheNextDaemons) {
  check(command());
  const UniqueFd first = cache_.watch_daemon();
  fs::remove_all(directory());
  expect_only_the_second_serves(first);
}

TEST_P(CacheDirectory, WhoseContentsAreRemovedUnderItsDaemonIsTheNextDaemons) {
  check(command());
  const UniqueFd first = cache_.watch_daemon();
  for (const auto& entry : fs::directory_iterator(directory())) fs::remove_all(entry);
  expect_only_the_second_serves(first);
}

TEST_P(CacheDirectory, ThatIsMovedAwayKeepsWhatItHadAndItsPlaceIsTheNextDaemons) {
  check(command());
  const UniqueFd first = cache_.watch_daemon();
  const std::string moved = directory() + ".moved";
  fs::rename(directory(), moved);
  expect_only_the_second_serves(first);
  EXPECT_EQ(cache_.control("--stop-server").exit_code, 0);
  fs::remove_all(directory());
  fs::rename(moved, directory());
  EXPECT_EQ(check(command()).hits, 1) << "what was moved away was left in order";
}

TEST_P(CacheDirectory, ThatIsReplacedByACopyOfItselfIsTheNextDaemons) {
  check(command());
  EXPECT_EQ(cache_.control("--stop-server").exit_code, 0);
  const std::string copy = directory() + ".copy";
  fs::copy(directory(), copy, fs::copy_options::recursive);
  const std::string daemon = "/" + std::string(base_name(cache_.daemon_directory()));
  for (const std::string& name : {std::string(), std::string("/store"), std::string("/store/v3"),
                                  std::string("/store/v3/db"), daemon, daemon + "/tmp"})
    fs::permissions(copy + name, fs::perms::owner_all);
  check(command());
  const UniqueFd first = cache_.watch_daemon();
  fs::remove_all(directory());
  fs::rename(copy, directory());
  expect_only_the_second_serves(first);
}

TEST_P(CacheDirectory, WhoseStoreIsRemovedUnderItsDaemonIsGivenUp) {
  check(command());
  const UniqueFd first = cache_.watch_daemon();
  fs::remove_all(directory() + "/store");
  EXPECT_TRUE(ends(first));
  check(command());
  EXPECT_EQ(check(command()).hits, 1);
}

TEST_P(CacheDirectory, ThatOthersMayWriteToIsNotUsed) {
  fs::create_directory(directory());
  ASSERT_EQ(chmod(directory().c_str(), 0777), 0);
  expect_compiles();
  expect_said(directory() + " is writable by others; chmod o-w " + directory());
  EXPECT_TRUE(fs::is_empty(directory()));
  ASSERT_EQ(chmod(directory().c_str(), 0755), 0);
  check(command());
  EXPECT_EQ(check(command()).hits, 1);
}

TEST_P(CacheDirectory, WithAPartThatOthersMayWriteToIsNotUsed) {
  check(command());
  EXPECT_EQ(cache_.control("--stop-server").exit_code, 0);
  ASSERT_EQ(chmod((directory() + "/store").c_str(), 0777), 0);
  expect_compiles();
  expect_said(directory() + "/store is writable by others");
  ASSERT_EQ(chmod((directory() + "/store").c_str(), 0700), 0);
  EXPECT_EQ(check(command()).hits, 1);
}

TEST_P(CacheDirectory, OfSomebodyElseIsNotUsedEvenByRoot) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives a directory to another user";
  fs::create_directory(directory());
  ASSERT_EQ(chown(directory().c_str(), kSomebodyElse, 0), 0);
  expect_compiles();
  expect_said(directory() + " belongs to user 12345 and not to you");
  EXPECT_NE(cache_.control("--stop-server").exit_code, 0);
  EXPECT_TRUE(fs::is_empty(directory()));
}

TEST_P(CacheDirectory, WithLinksInThePlaceOfItsFilesLeavesAloneWhatTheyLeadTo) {
  const std::string daemon = cache_.daemon_directory();
  for (const std::string& link : {daemon + "/start.lock", daemon + "/daemon.lock", daemon + "/daemon.log",
                                  directory() + "/store/v3/lock", directory() + "/store/v3/damaged"}) {
    SCOPED_TRACE(link);
    const std::string victim = project_.write("victim", "precious");
    const std::string made = project_ / "made";
    for (const std::string& target : {victim, made}) {
      fs::remove_all(directory());
      for (const char* part : {"", "/store", "/store/v3"}) ASSERT_EQ(mkdir((directory() + part).c_str(), 0700), 0);
      ASSERT_EQ(mkdir(daemon.c_str(), 0700), 0);
      fs::create_symlink(target, link);
      expect_compiles();
      EXPECT_EQ(cache_.control("--stop-server").exit_code, 0);
      EXPECT_EQ(support::read_bytes(victim), "precious");
      EXPECT_FALSE(support::exists(made));
    }
  }
}

TEST_P(CacheDirectory, IsEnoughWithoutAHomeAndWithOneThatCannotBeRead) {
  for (const char* home : {"", "/nonexistent", "/proc/1/none"}) {
    SCOPED_TRACE(home);
    const Variables variables{{"HOME", home}, {"HIPCACHE_CONFIG", ""}};
    EXPECT_EQ(cache_.run({"--clear"}, "/", variables).exit_code, 0);
    expect_compiles(variables);
    const Counts before = cache_.counts();
    expect_compiles(variables);
    EXPECT_EQ((cache_.counts() - before).hits, 1);
    EXPECT_EQ(cache_.run({"--stop-server"}, "/", variables).exit_code, 0);
  }
}

TEST_P(CacheDirectory, IsNotMadeInAHomeThatDoesNotExist) {
  const std::string home = project_ / "nonexistent";
  const Variables variables{{"HOME", home}, {"HIPCACHE_DIR", ""}, {"XDG_CACHE_HOME", ""}, {"HIPCACHE_CONFIG", ""}};
  expect_compiles(variables);
  expect_said("the home directory is " + home + ", which is no directory: set HIPCACHE_DIR", variables);
  EXPECT_FALSE(support::exists(home));
}

TEST_P(CacheDirectory, LiesBelowTheHomeThatThePasswordFileNamesWhereHomeIsNotSet) {
  if (!support::enter_own_mounts()) GTEST_SKIP() << "no mount namespace of the test's own";
  const std::string home = project_.make_directory("home");
  const std::string file = project_.write("passwd", "me:x:" + std::to_string(geteuid()) + ":0::" + home + ":/bin/sh\n");
  const support::BindMount users(file, "/etc/passwd");
  ASSERT_TRUE(users.is_mounted());
  const Variables variables{{"HOME", ""}, {"HIPCACHE_DIR", ""}, {"XDG_CACHE_HOME", ""}, {"HIPCACHE_CONFIG", ""}};
  expect_compiles(variables);
  expect_compiles(variables);
  EXPECT_THAT(cache_.run({"--show-stats"}, "/", variables).out, testing::ContainsRegex("Hits +1 +50"));
  EXPECT_TRUE(support::exists(home + "/.cache/hipcache"));
  EXPECT_EQ(cache_.run({"--stop-server"}, "/", variables).exit_code, 0);
}

INSTANTIATE_TEST_SUITE_P(Compilers, CacheDirectory, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
