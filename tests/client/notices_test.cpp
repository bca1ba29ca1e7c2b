// What compiles say about wrong settings, by the real launcher and client.
#include "client/notices/notices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "client/fake_daemon.h"
#include "client/launch_fixture.h"
#include "hipcache/config/cache_place.h"
#include "hipcache/protocol/channel.h"
#include "hipcache/protocol/daemon_socket.h"
#include "support/comes_true.h"

namespace hipcache::client {
namespace {

using namespace std::chrono_literals;
using protocol::Channel;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> notices(std::vector<std::string> environment,
                                 const std::optional<std::string>& of_daemon = std::nullopt) {
  environment.emplace_back("HOME=/nonexistent");
  return notices_on_settings(config::lookup_in(environment), environment, of_daemon);
}

TEST(NoticesOnSettings, AreNoneWithoutAMistake) {
  EXPECT_THAT(notices({"HIPCACHE_MAX_SIZE=5G", "HIPCACHE_BUCKET=ours"}, ""), IsEmpty());
}

TEST(NoticesOnSettings, NameAMisspeltVariableAMissingFileAndABadValue) {
  EXPECT_THAT(notices({"HIPCACHE_MAXSIZE=5G", "HIPCACHE_CONFIG=/none/h.toml", "HIPCACHE_JOBS=many"}),
              ElementsAre("HIPCACHE_MAXSIZE is no variable of hipcache; is HIPCACHE_MAX_SIZE meant?",
                          "HIPCACHE_CONFIG names /none/h.toml, which does not exist",
                          HasSubstr("compiles run without the cache: HIPCACHE_JOBS: \"many\" is not a number")));
}

TEST(NoticesOnSettings, NameWhatARunningDaemonDoesNotUse) {
  const std::string of_daemon = config::daemon_settings_text(config::Settings());
  EXPECT_THAT(notices({"HIPCACHE_MAX_SIZE=5G"}, of_daemon), ElementsAre(HasSubstr("but the running daemon uses 20G")));
  EXPECT_THAT(notices({"HIPCACHE_MAX_SIZE=5G"}), IsEmpty()) << "the daemon that starts will use it";
}

TEST(NoticesOnSettings, AreNoneWhereTheCacheIsOff) {
  EXPECT_THAT(notices({"HIPCACHE_MAXSIZE=5G", "HIPCACHE_DISABLE=1"}), IsEmpty());
}

class Notices : public LaunchTest {
 protected:
  static constexpr const char* kSaid = "warned by the compiler\n";

  FakeDaemon::Script pass() const { return reply_with(protocol::PassThrough{"reason"}); }

  void write_daemon_settings(const config::Settings& settings) const {
    const std::string home = protocol::daemon_directory(cache());
    scratch.write(home.substr(scratch.path().size() + 1) + "/" + config::kDaemonSettingsFile,
                  config::daemon_settings_text(settings));
  }
};

TEST_F(Notices, AreSaidBeforeTheCompilerRunsAndOnce) {
  const FakeDaemon daemon(cache(), {pass(), pass()});
  EXPECT_EQ(
      compile({"HIPCACHE_MAXSIZE=5G"}).err,
      std::string("hipcache: HIPCACHE_MAXSIZE is no variable of hipcache; is HIPCACHE_MAX_SIZE meant?\n") + kSaid);
  EXPECT_EQ(compile({"HIPCACHE_MAXSIZE=5G"}).err, kSaid);
}

TEST_F(Notices, AreNotSaidOfAHit) {
  const protocol::Finish finish{0, "", "cached err", {{object(), false, false, "cached"}}, {}};
  const FakeDaemon daemon(cache(), {reply_with(finish)});
  EXPECT_EQ(compile({"HIPCACHE_MAXSIZE=5G", "HIPCACHE_CONFIG=/none"}).err, "cached err");
}

TEST_F(Notices, AreNotSaidWhereQuietIsSet) {
  const std::string file = scratch.write("quiet.toml", "quiet = true\n");
  const FakeDaemon daemon(cache(), {pass(), pass(), pass()});
  EXPECT_EQ(compile({"HIPCACHE_MAXSIZE=5G", "HIPCACHE_QUIET=1"}).err, kSaid);
  EXPECT_EQ(compile({"HIPCACHE_JOBS=many", "HIPCACHE_QUIET=1"}).err, kSaid) << "though the settings are wrong";
  EXPECT_EQ(compile({"HIPCACHE_MAXSIZE=5G", "HIPCACHE_CONFIG=" + file}).err, kSaid);
}

TEST_F(Notices, NameASettingThatTheRunningDaemonDoesNotUse) {
  config::Settings settings;
  const FakeDaemon daemon(cache(), {pass()});
  write_daemon_settings(settings);
  EXPECT_THAT(compile({"HIPCACHE_MAX_SIZE=5G"}).err,
              HasSubstr("hipcache: HIPCACHE_MAX_SIZE is 5G, but the running daemon uses 20G;"));
}

TEST_F(Notices, DoNotCompareWithADaemonThatHasEnded) {
  write_daemon_settings(config::Settings());
  expect_compiled_by_the_compiler(compile({"HIPCACHE_MAX_SIZE=5G"}));
}

TEST_F(Notices, NameACacheDirectoryThatCannotBeUsed) {
  const std::string file = scratch.write("file", "");
  const std::vector<std::string> variables{"HIPCACHE_DIR=" + file + "/cache"};
  EXPECT_THAT(compile(variables).err, HasSubstr("hipcache: compiles run without the cache: cannot"));
  EXPECT_EQ(compile(variables).err, kSaid) << "once";
  EXPECT_THAT(compile({"HIPCACHE_DIR=", "HOME=/nonexistent"}).err,
              HasSubstr("the home directory is /nonexistent, which is no directory: set HIPCACHE_DIR"));
}

TEST_F(Notices, AreSaidAgainToAJobWithAnotherCache) {
  EXPECT_THAT(compile({"HIPCACHE_MAXSIZE=5G"}).err, HasSubstr("is HIPCACHE_MAX_SIZE meant?"));
  EXPECT_EQ(compile({"HIPCACHE_MAXSIZE=5G"}).err, kSaid) << "once";
  EXPECT_THAT(compile({"HIPCACHE_MAXSIZE=5G", "HIPCACHE_DIR=" + (scratch / "other")}).err,
              HasSubstr("is HIPCACHE_MAX_SIZE meant?"));
}

TEST_F(Notices, LeaveTheCompilersOutputAndExitCodeAlone) {
  const Ended ended = compile({"HIPCACHE_MAXSIZE=5G"});
  EXPECT_EQ(ended.exit_code, 5);
  EXPECT_EQ(ended.out, "said by the compiler\n");
  EXPECT_EQ(support::read_bytes(object()), "made by the compiler");
}

TEST_F(Notices, DoNotEndACompileWhoseStandardErrorNobodyReads) {
  const std::string script =
      "{ hipcache cc -o " + object() + " 2>&1 >/dev/null; echo $? > " + (scratch / "code") + "; } | true";
  run({"/bin/sh", "-c", script}, {"HIPCACHE_MAXSIZE=5G"});
  EXPECT_TRUE(support::comes_true([&] { return support::exists(scratch / "runs"); })) << "the compiler ran";
}

}  // namespace
}  // namespace hipcache::client
