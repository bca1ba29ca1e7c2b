#include "cli/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hipcache::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string error_of(const std::vector<std::string>& words) {
  const Result<Options> options = parse_options(words);
  return options ? "no error" : options.error().message;
}

TEST(Options, EachActionHasItsNames) {
  const std::vector<std::pair<std::string, Action>> names{{"-s", Action::show_stats},
                                                          {"--show-stats", Action::show_stats},
                                                          {"-z", Action::zero_stats},
                                                          {"--zero-stats", Action::zero_stats},
                                                          {"-C", Action::clear},
                                                          {"--clear", Action::clear},
                                                          {"-c", Action::cleanup},
                                                          {"--cleanup", Action::cleanup},
                                                          {"-p", Action::show_config},
                                                          {"--show-config", Action::show_config},
                                                          {"--version", Action::version},
                                                          {"-h", Action::help},
                                                          {"--help", Action::help},
                                                          {"--start-server", Action::start_server},
                                                          {"--stop-server", Action::stop_server}};
  for (const auto& [name, action] : names) {
    const Result<Options> options = parse_options({name});
    ASSERT_TRUE(options) << name << ": " << options.error().message;
    EXPECT_EQ(options->action, action) << name;
    EXPECT_FALSE(options->json);
  }
}

TEST(Options, FormatIsTextOrJsonInEitherSpelling) {
  EXPECT_TRUE(parse_options({"--show-stats", "--format", "json"}).value().json);
  EXPECT_TRUE(parse_options({"--format=json", "-s"}).value().json);
  EXPECT_FALSE(parse_options({"-p", "--format", "text"}).value().json);
  EXPECT_THAT(error_of({"-s", "--format", "xml"}), HasSubstr("not xml"));
  EXPECT_THAT(error_of({"-z", "--format", "json"}), HasSubstr("--format goes with"));
  EXPECT_EQ(error_of({"-s", "--format"}), "--format needs a value; see hipcache --help");
  EXPECT_THAT(error_of({"-s", "--format="}), HasSubstr("not ;"));
  EXPECT_THAT(error_of({"-s", "--format", "json", "--format=text"}), HasSubstr("given twice"));
}

TEST(Options, PlanTakesTheCommandBehindTheDashesAsItIs) {
  const Options options = parse_options({"--plan", "--format", "json", "--", "clang++", "-c", "--", "-s"}).value();
  EXPECT_EQ(options.action, Action::plan);
  EXPECT_TRUE(options.json);
  EXPECT_THAT(options.command, ElementsAre("clang++", "-c", "--", "-s"));
}

TEST(Options, PlanWithoutACommandSaysHowToGiveOne) {
  EXPECT_THAT(error_of({"--plan"}), HasSubstr("hipcache --plan -- clang++"));
  EXPECT_THAT(error_of({"--plan", "--"}), HasSubstr("needs a command"));
  EXPECT_THAT(error_of({"--explain"}), HasSubstr("hipcache --explain -- clang++"));
}

TEST(Options, ExplainTakesACommandLikePlan) {
  const Options options = parse_options({"--explain", "--format", "json", "--", "clang++", "-c"}).value();
  EXPECT_EQ(options.action, Action::explain);
  EXPECT_TRUE(options.json);
  EXPECT_THAT(options.command, ElementsAre("clang++", "-c"));
}

TEST(Options, ACommandGoesWithPlanAndExplainAlone) {
  EXPECT_THAT(error_of({"-s", "--", "cc"}), HasSubstr("only --plan and --explain"));
}

TEST(Options, AnUnknownOneIsNamedOnOneLineWithTheMend) {
  EXPECT_EQ(error_of({"--show-stat"}), "unknown option --show-stat; see hipcache --help");
  EXPECT_EQ(error_of({"-x"}), "unknown option -x; see hipcache --help");
  EXPECT_EQ(error_of({"-s", "word"}), "unknown option word; see hipcache --help");
  EXPECT_EQ(error_of({"-sz"}), "unknown option -sz; see hipcache --help");
  EXPECT_EQ(error_of({"--clear=yes"}), "unknown option --clear=yes; see hipcache --help");
  EXPECT_EQ(error_of({"--formats", "json"}), "unknown option --formats; see hipcache --help");
  EXPECT_EQ(error_of({""}), "unknown option ; see hipcache --help");
}

TEST(Options, NoneOrMoreThanOneActionIsAnError) {
  EXPECT_THAT(error_of({}), HasSubstr("no action"));
  EXPECT_THAT(error_of({"-s", "-z"}), HasSubstr("more than one action"));
}

TEST(Options, HelpNamesEveryOption) {
  for (const char* name : {"--show-stats", "--zero-stats", "--clear", "--cleanup", "--show-config", "--plan",
                           "--explain", "--start-server", "--stop-server", "--version", "--help", "--format"})
    EXPECT_THAT(help_text(), HasSubstr(name));
}

}  // namespace
}  // namespace hipcache::cli
