#include "cli/options/options.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>

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
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::vector<Action> actions_of(Tool tool, const std::vector<std::string>& words) {
  const Result<std::vector<Options>> parsed = parse_options_of(tool, words);
  EXPECT_TRUE(parsed) << parsed.error().message;
  std::vector<Action> actions;
  if (parsed)
    std::transform(parsed->begin(), parsed->end(), std::back_inserter(actions),
                   [](const Options& options) { return options.action; });
  return actions;
}

std::string error_of(Tool tool, const std::vector<std::string>& words) {
  const Result<std::vector<Options>> parsed = parse_options_of(tool, words);
  return parsed ? "none" : parsed.error().message;
}

TEST(OtherToolOptions, OfCcacheAreTakenAloneTogetherAndInOneWord) {
  EXPECT_THAT(actions_of(Tool::ccache, {"-s"}), ElementsAre(Action::show_stats));
  EXPECT_THAT(actions_of(Tool::ccache, {"--show-stats", "--verbose"}), ElementsAre(Action::show_stats));
  EXPECT_THAT(actions_of(Tool::ccache, {"-Cz"}), ElementsAre(Action::clear, Action::zero_stats));
  EXPECT_THAT(actions_of(Tool::ccache, {"-z", "-c", "-p"}),
              ElementsAre(Action::zero_stats, Action::cleanup, Action::show_config));
  EXPECT_TRUE(parse_options_of(Tool::ccache, {"-sv"}).value().front().verbose);
  EXPECT_TRUE(parse_options_of(Tool::ccache, {"--print-stats", "--format=json"}).value().front().json());
  EXPECT_TRUE(parse_options_of(Tool::ccache, {"--print-stats", "--format", "json"}).value().front().json());
}

TEST(OtherToolOptions, OfSccacheAreTaken) {
  EXPECT_THAT(actions_of(Tool::sccache, {"--start-server"}), ElementsAre(Action::start_server));
  EXPECT_THAT(actions_of(Tool::sccache, {"--stop-server"}), ElementsAre(Action::stop_server));
  EXPECT_THAT(actions_of(Tool::sccache, {"--show-adv-stats"}), ElementsAre(Action::show_stats));
  EXPECT_THAT(actions_of(Tool::sccache, {"--zero-stats"}), ElementsAre(Action::zero_stats));
  EXPECT_TRUE(parse_options_of(Tool::sccache, {"-s", "--stats-format", "json"}).value().front().json());
}

TEST(OtherToolOptions, OfHipcacheAreUnderstoodToo) {
  EXPECT_THAT(actions_of(Tool::ccache, {"--doctor"}), ElementsAre(Action::doctor));
  EXPECT_THAT(actions_of(Tool::sccache, {"--show-stats", "--fail-under", "90"}), ElementsAre(Action::show_stats));
  EXPECT_EQ(error_of(Tool::ccache, {"--frobnicate"}),
            "unknown option --frobnicate; see hipcache --help; this is hipcache in place of ccache, docs/switching.md "
            "has the "
            "counterparts");
  EXPECT_THAT(error_of(Tool::sccache, {}), HasSubstr("no action given"));
}

TEST(OtherToolOptions, WithoutACounterpartNameWhatToUseInstead) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"-M", "5G"}, {"-M5G"}, {"-zM", "5G"}})
    EXPECT_THAT(error_of(Tool::ccache, words),
                StartsWith("-M of ccache is no option of hipcache: set HIPCACHE_MAX_SIZE"));
  EXPECT_THAT(error_of(Tool::ccache, {"--max-size=5G"}), HasSubstr("set HIPCACHE_MAX_SIZE"));
  EXPECT_EQ(error_of(Tool::ccache, {"-o", "compression=true"}),
            "-o of ccache is no option of hipcache: edit the file that --show-config names");
  EXPECT_THAT(error_of(Tool::ccache, {"--set-config=max_size=5G"}), StartsWith("--set-config of ccache "));
  EXPECT_THAT(error_of(Tool::sccache, {"--dist-status"}), HasSubstr("docs/switching.md has the counterparts"));
}

TEST(OtherToolOptions, OfAFormatThatIsUnknownOrMissingAreErrors) {
  EXPECT_THAT(error_of(Tool::sccache, {"-s", "--stats-format=xml"}), HasSubstr("not \"xml\""));
  EXPECT_EQ(error_of(Tool::sccache, {"-s", "--stats-format"}), "--stats-format needs a value");
}

class OtherTool : public client::LaunchTest {
 protected:
  Ended called(const std::string& name, std::vector<std::string> words) const {
    scratch.link("links/" + name, hipcache());
    words.insert(words.begin(), scratch / ("links/" + name));
    return run(words);
  }

  static FakeDaemon::Script reply_to(ControlKind kind, const std::string& text) {
    return [kind, text](Channel& channel) {
      EXPECT_EQ(client::expect<protocol::ControlRequest>(channel).kind, kind);
      EXPECT_TRUE(channel.send(protocol::ControlReply{"", text}, 10s));
    };
  }
};

// Build systems parse the first line.
TEST_F(OtherTool, ItsVersionBeginsAsTheToolsDoes) {
  EXPECT_THAT(called("ccache", {"--version"}).out, testing::ContainsRegex("^ccache version [0-9]+[.][0-9]+[.]0\n"
                                                                          "hipcache .* in place of ccache\n$"));
  EXPECT_THAT(called("sccache", {"-V"}).out, testing::ContainsRegex("^sccache [0-9]+[.][0-9]+[.]0\nhipcache "));
  EXPECT_THAT(called("ccache", {"--print-version"}).out, testing::ContainsRegex("^[0-9]+[.][0-9]+[.]0\n$"));
  EXPECT_THAT(run({hipcache(), "--version"}).out, StartsWith("hipcache "));
}

TEST_F(OtherTool, ItsStatisticsHaveTheToolsForm) {
  stats::Snapshot counts;
  counts.compile_requests = counts.hit = 3;
  const auto reply = reply_to(ControlKind::stats, counts.to_json(1, 2, 3, 4));
  const FakeDaemon daemon(cache(), {reply, reply, reply, reply, reply});
  EXPECT_THAT(called("ccache", {"-s"}).out, StartsWith("Cacheable calls:"));
  EXPECT_THAT(called("ccache", {"-sv"}).out, HasSubstr("Compile requests"));
  EXPECT_THAT(called("ccache", {"--print-stats"}).out, HasSubstr("direct_cache_hit\t3\n"));
  EXPECT_THAT(called("sccache", {"--show-stats"}).out, StartsWith("Compile requests"));
  EXPECT_THAT(called("sccache", {"-s", "--stats-format", "json"}).out, HasSubstr("\"cache_hits\": {"));
}

TEST_F(OtherTool, PerformsSeveralActionsInTheirOrderUntilOneFails) {
  const FakeDaemon daemon(cache(),
                          {reply_to(ControlKind::clear, "cleared"), reply_to(ControlKind::zero_stats, "zeroed")});
  EXPECT_EQ(called("ccache", {"-C", "-z"}).out, "cleared\nzeroed\n");
  const Ended failed = called("ccache", {"-z", "-M", "5G"});
  EXPECT_EQ(failed.exit_code, 2);
  EXPECT_EQ(failed.out, "") << "nothing is done";
  EXPECT_THAT(failed.err, StartsWith("hipcache: error: -M of ccache is "));
}

}  // namespace
}  // namespace hipcache::cli
