#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/show/show.h"
#include "hipcache/base/files.h"
#include "support/scratch.h"

namespace hipcache::cli {
namespace {

using testing::HasSubstr;

protocol::PlanReport plan() {
  protocol::PlanReport report;
  report.cuid = "c0ffee";
  report.request_key = "aa";
  report.steps = {{"device gfx906", "bb", true, 412}, {"bundle", "", false, 0}, {"host", "cc", false, 0}};
  return report;
}

TEST(ShowPlan, AsTextHasALinePerStepWithItsKey) {
  EXPECT_EQ(plan_to_text(plan()),
            "CUID           c0ffee\n"
            "request        aa  not stored\n"
            "device gfx906  bb  stored, 412 inputs\n"
            "bundle         not stored, its key depends on steps that have not run\n"
            "host           cc  not stored\n");
}

TEST(ShowPlan, SaysWhichStepsAreSentToTheEngineAndWhyOthersAreNot) {
  protocol::PlanReport sent = plan();
  sent.steps[0].stored = false;
  sent.steps[0].is_sent = true;
  sent.steps[1].not_sent = sent.steps[2].not_sent = "not a device step";
  EXPECT_EQ(plan_to_text(sent),
            "CUID           c0ffee\n"
            "request        aa  not stored\n"
            "device gfx906  bb  not stored, 412 inputs, sent to the engine while this machine is busy\n"
            "bundle         not stored, its key depends on steps that have not run, runs here: not a device step\n"
            "host           cc  not stored, runs here: not a device step\n");
  const nlohmann::json json = nlohmann::json::parse(plan_to_json(sent));
  EXPECT_EQ(json.at("steps").at(0).at("sent"), true);
  EXPECT_EQ(json.at("steps").at(2).at("not_sent"), "not a device step");
  sent.not_sent = "the running daemon has no engine";
  EXPECT_THAT(plan_to_text(sent), HasSubstr("not sent       the running daemon has no engine\n"));
  EXPECT_EQ(nlohmann::json::parse(plan_to_json(sent)).at("not_sent"), sent.not_sent);
  sent.at_once = "1, by the build tool's -j1";
  EXPECT_THAT(plan_to_text(sent), HasSubstr("at once        1, by the build tool's -j1\n"));
  EXPECT_EQ(nlohmann::json::parse(plan_to_json(sent)).at("at_once"), sent.at_once);
}

TEST(ShowPlan, AsTextSaysWhyACommandPassesThrough) {
  EXPECT_EQ(plan_to_text({.reason = "not-a-compile"}), "passes through: not-a-compile\n");
}

TEST(ShowPlan, SaysWhyACompileIsOneStep) {
  protocol::PlanReport one = {.reason = "save-temps", .detail = "-save-temps", .request_key = "aa"};
  one.steps = {{"compile", "aa", false, 0}};
  EXPECT_EQ(plan_to_text(one),
            "CUID       the compiler's own\n"
            "request    aa  not stored\n"
            "compile    aa  not stored\n"
            "not split  save-temps: -save-temps\n");
  EXPECT_EQ(nlohmann::json::parse(plan_to_json(one)).at("detail"), "-save-temps");
  EXPECT_EQ(plan_to_text({.reason = "link", .detail = "b.o"}), "passes through: link: b.o\n");
}

TEST(ShowPlan, AsJsonHasEveryFieldWhateverTheOutcome) {
  const nlohmann::json json = nlohmann::json::parse(plan_to_json(plan()));
  EXPECT_EQ(json.at("reason"), "");
  EXPECT_EQ(json.at("cuid"), "c0ffee");
  EXPECT_EQ(json.at("request_key"), "aa");
  EXPECT_EQ(json.at("request_stored"), false);
  EXPECT_EQ(json.at("steps").at(0), nlohmann::json({{"name", "device gfx906"},
                                                    {"key", "bb"},
                                                    {"stored", true},
                                                    {"inputs", 412},
                                                    {"sent", false},
                                                    {"not_sent", ""}}));
  EXPECT_EQ(nlohmann::json::parse(plan_to_json({.reason = "\xff"})).at("cuid"), "") << "and is valid for any bytes";
}

using protocol::Differs;
using protocol::Verdict;

protocol::Explanation explanation() {
  protocol::Explanation explanation;
  explanation.compared = 2;
  explanation.request = {"request", Verdict::runs, {}, 0};
  explanation.steps = {{"probe", Verdict::stored, {}, 0, {{protocol::TiedBy::listing, "/opt", "", 0}}},
                       {"device gfx906",
                        Verdict::runs,
                        {{Differs::variable_unset, "CPATH", "", ""}, {Differs::content, "/a.h", "12", "34"}},
                        7},
                       {"bundle", Verdict::depends, {{Differs::pending, "device gfx906", "", ""}}, 0}};
  return explanation;
}

TEST(ShowExplanation, AsTextHasALinePerStepAndOneForEachDifferenceBelow) {
  EXPECT_EQ(explanation_to_text(explanation()),
            "request        not stored\n"
            "probe          stored\n"
            "               kept to this machine: lists the directory /opt\n"
            "device gfx906  would run\n"
            "               variable CPATH is not set any more\n"
            "               content /a.h (digest 12, was 34)\n"
            "               and 7 more\n"
            "bundle         depends\n"
            "               device gfx906 has to run first\n");
}

TEST(ShowExplanation, AsTextSaysWhyACommandPassesThrough) {
  EXPECT_EQ(explanation_to_text({.reason = "link"}), "passes through: link\n");
  EXPECT_EQ(explanation_to_text({.reason = "plugin", .detail = "-fplugin=x"}), "passes through: plugin: -fplugin=x\n");
}

TEST(ShowExplanation, ForecastsTheOutcomeAsTheDaemonCounts) {
  protocol::Explanation one = explanation();
  EXPECT_EQ(forecast_of(one), stats::Outcome::miss) << "a stored probe is no hit";
  one.steps.push_back({"host", Verdict::stored, {}, 0});
  EXPECT_EQ(forecast_of(one), stats::Outcome::partial);
  one.steps = {{"probe", Verdict::runs, {}, 0}, {"host", Verdict::stored, {}, 0}, {"bundle", Verdict::bundles, {}, 0}};
  EXPECT_EQ(forecast_of(one), stats::Outcome::hit) << "nothing is compiled";
  one.request.verdict = Verdict::stored;
  EXPECT_EQ(forecast_of(one), stats::Outcome::hit);
  EXPECT_EQ(forecast_of({.reason = "time-trace"}), stats::Outcome::passthrough);
}

TEST(ShowExplanation, AsJsonHasEveryFieldWhateverTheOutcome) {
  const nlohmann::json json = nlohmann::json::parse(explanation_to_json(explanation()));
  EXPECT_EQ(json.at("outcome"), "miss");
  EXPECT_EQ(json.at("reason"), "");
  EXPECT_EQ(json.at("compared"), 2);
  EXPECT_EQ(json.at("request").at("verdict"), "would run");
  EXPECT_EQ(json.at("steps").at(0).at("ties").at(0),
            nlohmann::json({{"kind", "listing"},
                            {"kept_to", "machine"},
                            {"name", "/opt"},
                            {"other", ""},
                            {"more", 0},
                            {"text", "kept to this machine: lists the directory /opt"}}));
  const nlohmann::json& device = json.at("steps").at(1);
  EXPECT_TRUE(device.at("ties").empty());
  EXPECT_EQ(device.at("name"), "device gfx906");
  EXPECT_EQ(device.at("more"), 7);
  EXPECT_EQ(device.at("differences").at(1), nlohmann::json({{"kind", "content"},
                                                            {"name", "/a.h"},
                                                            {"now", "12"},
                                                            {"was", "34"},
                                                            {"text", "content /a.h (digest 12, was 34)"}}));
  const nlohmann::json passed = nlohmann::json::parse(explanation_to_json({.reason = "link", .detail = "\xff"}));
  EXPECT_EQ(passed.at("reason"), "link");
  EXPECT_EQ(passed.at("outcome"), "passthrough");
  EXPECT_EQ(passed.at("request").at("verdict"), "passes through");
}

TEST(ShowConfig, ShowsValueAndOriginOfEachSetting) {
  const support::Scratch scratch;
  const auto variables = config::lookup_in(
      {"HIPCACHE_DIR=/cache", "HIPCACHE_CONFIG=" + scratch.write("config.toml", "jobs = 3\n"), "HOME=/h"});
  const std::string text = show_config(variables, false).value();
  EXPECT_THAT(text, HasSubstr("dir = /cache  (HIPCACHE_DIR)\n"));
  EXPECT_THAT(text, HasSubstr("jobs = 3  (" + (scratch / "config.toml") + ")\n"));
  const nlohmann::json json = nlohmann::json::parse(show_config(variables, true).value());
  EXPECT_EQ(json.at("max_size"), nlohmann::json({{"value", "20G"}, {"origin", "default"}}));
}

TEST(ShowConfig, HasOnlyAsciiInJson) {
  const std::string name = "a\xc2\x9b\xe2\x80\xae";  // U+009B and U+202E, which a terminal obeys
  const std::string text =
      show_config(config::lookup_in({"HIPCACHE_DIR=/cache", "HOME=/h", "HIPCACHE_NAMESPACE=" + name}), true).value();
  EXPECT_THAT(text, HasSubstr("a\\u009b\\u202e"));
  EXPECT_EQ(nlohmann::json::parse(text).at("namespace").at("value"), name);
}

TEST(ShowConfig, ABadSettingIsItsError) {
  const auto variables = config::lookup_in({"HOME=/h", "HIPCACHE_MAX_SIZE=lots"});
  EXPECT_THAT(show_config(variables, false).error().message, HasSubstr("HIPCACHE_MAX_SIZE"));
}

class Colour : public testing::Test {
 protected:
  Colour() {
    unsetenv("NO_COLOR");
    setenv("TERM", "xterm", 1);
    EXPECT_EQ(grantpt(terminal_.get()), 0);
    EXPECT_EQ(unlockpt(terminal_.get()), 0);
  }
  ~Colour() override { unsetenv("NO_COLOR"); }

  UniqueFd terminal_{posix_openpt(O_RDWR | O_NOCTTY)};
};

TEST_F(Colour, IsForTerminals) {
  EXPECT_TRUE(shows_colour(terminal_.get()));
  const UniqueFd file(open("/dev/null", O_WRONLY | O_CLOEXEC));
  EXPECT_FALSE(shows_colour(file.get()));
}

TEST_F(Colour, IsNotForThoseWhoWantNone) {
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(shows_colour(terminal_.get()));
  setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(shows_colour(terminal_.get())) << "an empty variable is not set";
}

TEST_F(Colour, IsNotForTerminalsWithout) {
  setenv("TERM", "dumb", 1);
  EXPECT_FALSE(shows_colour(terminal_.get()));
  unsetenv("TERM");
  EXPECT_FALSE(shows_colour(terminal_.get()));
}

}  // namespace
}  // namespace hipcache::cli
