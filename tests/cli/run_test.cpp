// The options end to end, against a daemon of the test's own.
#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>

#include "cli/control/control.h"
#include "client/fake_daemon.h"
#include "client/launch_fixture.h"
#include "hipcache/stats/counters.h"

namespace hipcache::cli {
namespace {

using namespace std::chrono_literals;
using client::Ended;
using client::FakeDaemon;
using protocol::Channel;
using protocol::ControlKind;
using protocol::ControlReply;
using protocol::ControlRequest;
using testing::HasSubstr;

class Run : public client::LaunchTest {
 protected:
  static FakeDaemon::Script reply_to(ControlKind kind, protocol::Message reply) {
    return [kind, reply = std::move(reply)](Channel& channel) {
      EXPECT_EQ(client::expect<ControlRequest>(channel).kind, kind);
      EXPECT_TRUE(channel.send(reply, 10s));
    };
  }

  // Somebody only looks whether a daemon is there.
  static void look(Channel& channel) { EXPECT_FALSE(channel.receive(10s)); }

  // A daemon that is just ending: the connection is closed without a reply.
  static void leave(Channel& channel) { client::expect<ControlRequest>(channel); }

  Ended option(const std::vector<std::string>& words, const std::vector<std::string>& variables = {}) const {
    std::vector<std::string> argv{hipcache()};
    argv.insert(argv.end(), words.begin(), words.end());
    return run(argv, variables);
  }

  static void expect_one_line(const Ended& ended, int code, const std::string& part) {
    EXPECT_EQ(ended.exit_code, code);
    EXPECT_EQ(ended.out, "");
    EXPECT_THAT(ended.err, HasSubstr(part));
    EXPECT_EQ(ended.err.find('\n'), ended.err.size() - 1);
  }
};

TEST_F(Run, ShowsStatisticsAsTextAndAsTheDaemonsJson) {
  const std::string json = stats::Snapshot().to_json(1, 2, 3, 4);
  const FakeDaemon daemon(cache(), {reply_to(ControlKind::stats, ControlReply{"", json}),
                                    reply_to(ControlKind::stats, ControlReply{"", json})});
  EXPECT_THAT(option({"-s"}).out, HasSubstr("Compile requests"));
  EXPECT_THAT(option({"-s", "--format", "json"}).out, HasSubstr("\"compile_requests\""));
}

TEST_F(Run, FailsUnderAHitRateAndPrintsTheStatisticsAllTheSame) {
  stats::Snapshot counts;
  counts.hit = 3, counts.miss = 1;
  counts.rated = {3, 1};
  const auto reply = reply_to(ControlKind::stats, ControlReply{"", counts.to_json(1, 2, 3, 4)});
  const FakeDaemon daemon(cache(), {reply, reply, reply});
  EXPECT_EQ(option({"-s", "--fail-under", "75"}).exit_code, 0);
  const Ended below = option({"-s", "--format", "markdown", "--fail-under", "75.5"});
  EXPECT_EQ(below.exit_code, 1);
  EXPECT_THAT(below.out, HasSubstr("| Hits | 3 |"));
  EXPECT_EQ(
      below.err,
      "hipcache: error: the hit rate is 75.0 %, less than 75.5 %: 3 of 4 steps, 3 of 4 requests as a whole came from "
      "the cache\n");
  EXPECT_THAT(option({"-s", "--format", "markdown"}).out, HasSubstr("**75.0 %** came from the cache: 3 of 4 steps"));
}

TEST_F(Run, ImportsNothingWhereResultsAreOnlyRead) {
  expect_one_line(option({"--import", "results"}, {"HIPCACHE_READONLY=1"}), 1,
                  "HIPCACHE_READONLY is set, so nothing can be imported");
}

TEST_F(Run, ShowsAPublicKeyByTheHelperThatLinksCryptography) {
  script(helper("hipcache-remote"), "echo \"$@\"");
  EXPECT_EQ(option({"--public-key", "a key.pem"}).out, "--public-key a key.pem\n");
  std::filesystem::remove(scratch / helper("hipcache-remote"));
  expect_one_line(option({"--public-key", "a key.pem"}), 1, "cannot start " + (scratch / helper("hipcache-remote")));
}

TEST_F(Run, AsksForEachChangeAndPrintsTheReply) {
  const FakeDaemon daemon(cache(), {reply_to(ControlKind::zero_stats, ControlReply{"", "zeroed"}),
                                    reply_to(ControlKind::clear, ControlReply{"", "cleared"}),
                                    reply_to(ControlKind::cleanup, ControlReply{"", "cleaned"}),
                                    reply_to(ControlKind::ping, ControlReply{"", "here"})});
  EXPECT_EQ(option({"-z"}).out, "zeroed\n");
  EXPECT_EQ(option({"-C"}).out, "cleared\n");
  EXPECT_EQ(option({"-c"}).out, "cleaned\n");
  EXPECT_EQ(option({"--start-server"}).out, "here\n");
}

TEST_F(Run, AsksAgainWhenTheDaemonLeftJustBeforeItsReply) {
  const FakeDaemon daemon(cache(), {leave, reply_to(ControlKind::zero_stats, ControlReply{"", "zeroed"})});
  EXPECT_EQ(option({"-z"}).out, "zeroed\n");
}

TEST_F(Run, SaysWhyWhenADaemonThatLeavesTwiceHasNoSuccessor) {
  const FakeDaemon daemon(cache(), {leave, leave});
  expect_one_line(option({"-z"}), 1, "the daemon ended before it replied");
}

TEST_F(Run, ADaemonThatLeavesWhenItIsAskedToStopIsOneThatStopped) {
  // Of another version, asked to leave, and gone when the question is put again.
  const FakeDaemon daemon(cache(), {reply_to(ControlKind::ping, protocol::VersionMismatch{"9/9"}), leave});
  expect_one_line(option({"--start-server"}), 1, "cannot start the daemon");
}

TEST_F(Run, DoesNotSayThatADaemonStoppedWhoseProcessStillRuns) {
  // Two connections: one tells which process to wait for (this one, which stays), one asks.
  const FakeDaemon daemon(cache(), {look, reply_to(ControlKind::stop, ControlReply{})});
  config::Settings settings;
  settings.directory = cache();
  const Result<std::string> stopped = Control(settings, client::Timeouts()).stop(1ms);
  ASSERT_FALSE(stopped);
  EXPECT_THAT(stopped.error().message, HasSubstr("still busy with running compiles"));
}

TEST_F(Run, StoppingNoDaemonIsNoError) {
  const Ended ended = option({"--stop-server"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.out, "No hipcached is running\n");
}

TEST_F(Run, TellsTheDaemonsError) {
  const FakeDaemon daemon(cache(), {reply_to(ControlKind::clear, ControlReply{"no room", ""})});
  expect_one_line(option({"-C"}), 1, "hipcache: error: no room");
}

TEST_F(Run, SaysWhyThereIsNoDaemon) { expect_one_line(option({"-s"}), 1, "cannot start the daemon"); }

TEST_F(Run, ASettingThatIsWrongIsNamed) {
  for (const char* name : {"-s", "-p", "--start-server"})
    expect_one_line(option({name}, {"HIPCACHE_MAX_SIZE=lots"}), 1, "HIPCACHE_MAX_SIZE");
}

TEST_F(Run, AnUnknownOptionIsAUsageErrorThatNamesIt) {
  expect_one_line(option({"--frobnicate"}), 2, "unknown option --frobnicate; see hipcache --help");
}

TEST_F(Run, WithoutAnyWordIsAUsageError) { expect_one_line(option({}), 2, "see hipcache --help"); }

TEST_F(Run, VersionAndHelpNeedNoDaemonAndNoHome) {
  EXPECT_THAT(option({"--version"}, {"HOME="}).out, HasSubstr("hipcache " + protocol::build_id()));
  EXPECT_EQ(option({"--help"}, {"HOME="}).exit_code, 0);
}

TEST_F(Run, PlanAsksAndCompilesNothing) {
  protocol::PlanReport plan;
  plan.cuid = "c0ffee";
  const FakeDaemon daemon(cache(), {[&](Channel& channel) {
                            EXPECT_TRUE(client::expect<protocol::CompileRequest>(channel).plan_only);
                            EXPECT_TRUE(channel.send(plan, 10s));
                          }});
  EXPECT_THAT(option({"--plan", "--", "cc", "-o", object()}).out, HasSubstr("c0ffee"));
  EXPECT_EQ(compiler_runs(), 0);
}

TEST_F(Run, PlanOfAMissingCompilerNamesIt) {
  expect_one_line(option({"--plan", "--", "no-such-cc"}), 1, "could not find compiler \"no-such-cc\"");
}

}  // namespace
}  // namespace hipcache::cli
