#include "cli/options/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

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
                                                          {"--stop-server", Action::stop_server},
                                                          {"--watch", Action::watch}};
  for (const auto& [name, action] : names) {
    const Result<Options> options = parse_options({name});
    ASSERT_TRUE(options) << name << ": " << options.error().message;
    EXPECT_EQ(options->action, action) << name;
    EXPECT_FALSE(options->json());
  }
}

TEST(Options, FormatIsTextOrJsonInEitherSpelling) {
  EXPECT_TRUE(parse_options({"--show-stats", "--format", "json"}).value().json());
  EXPECT_TRUE(parse_options({"--format=json", "-s"}).value().json());
  EXPECT_FALSE(parse_options({"-p", "--format", "text"}).value().json());
  EXPECT_THAT(error_of({"-s", "--format", "xml"}), HasSubstr("not xml"));
  EXPECT_THAT(error_of({"-z", "--format", "json"}), HasSubstr("--format goes with"));
  EXPECT_EQ(error_of({"-s", "--format"}), "--format needs a value; see hipcache --help");
  EXPECT_THAT(error_of({"-s", "--format="}), HasSubstr("not ;"));
  EXPECT_THAT(error_of({"-s", "--format", "json", "--format=text"}), HasSubstr("given twice"));
}

TEST(Options, PlanTakesTheCommandBehindTheDashesAsItIs) {
  const Options options = parse_options({"--plan", "--format", "json", "--", "clang++", "-c", "--", "-s"}).value();
  EXPECT_EQ(options.action, Action::plan);
  EXPECT_TRUE(options.json());
  EXPECT_THAT(options.command, ElementsAre("clang++", "-c", "--", "-s"));
}

TEST(Options, ACommandBeginsWithTheFirstWordThatIsNoOption) {
  const Options plan = parse_options({"--plan", "--format", "json", "clang++", "--version", "--", "-s"}).value();
  EXPECT_TRUE(plan.json());
  EXPECT_THAT(plan.command, ElementsAre("clang++", "--version", "--", "-s"));
  EXPECT_THAT(parse_options({"--explain", "clang++", "--format=json"}).value().command,
              ElementsAre("clang++", "--format=json"));
  EXPECT_THAT(parse_options({"--doctor", "hipcc", "-O2"}).value().command, ElementsAre("hipcc", "-O2"));
}

TEST(Options, FlushFailsOnlyIfTheUserWantsThat) {
  EXPECT_FALSE(parse_options({"--flush"}).value().fail_unwritten);
  EXPECT_TRUE(parse_options({"--flush", "--fail-unwritten"}).value().fail_unwritten);
  EXPECT_THAT(error_of({"-s", "--fail-unwritten"}), HasSubstr("--fail-unwritten goes with --flush"));
}

TEST(Options, PlanWithoutACommandSaysHowToGiveOne) {
  EXPECT_THAT(error_of({"--plan"}), HasSubstr("hipcache --plan clang++"));
  EXPECT_THAT(error_of({"--plan", "--"}), HasSubstr("needs a command"));
  EXPECT_THAT(error_of({"--explain"}), HasSubstr("hipcache --explain clang++"));
}

TEST(Options, ExplainTakesACommandLikePlan) {
  const Options options = parse_options({"--explain", "--format", "json", "--", "clang++", "-c"}).value();
  EXPECT_EQ(options.action, Action::explain);
  EXPECT_TRUE(options.json());
  EXPECT_THAT(options.command, ElementsAre("clang++", "-c"));
}

TEST(Options, ACommandGoesWithPlanExplainAndDoctorAlone) {
  EXPECT_THAT(error_of({"-s", "--", "cc"}), HasSubstr("only --plan, --explain and --doctor go"));
}

TEST(Options, DoctorMayTakeACompilerWithItsOptions) {
  EXPECT_EQ(parse_options({"--doctor"}).value().action, Action::doctor);
  EXPECT_TRUE(parse_options({"--doctor"}).value().command.empty());
  EXPECT_THAT(parse_options({"--doctor", "--", "clang++", "-O2"}).value().command, ElementsAre("clang++", "-O2"));
  EXPECT_THAT(error_of({"--doctor", "--", "cc", "-c", "a.c"}), HasSubstr("its options, without -c"));
  EXPECT_THAT(error_of({"--doctor", "--format", "json"}), HasSubstr("--format goes with"));
}

TEST(Options, AnUnknownOneIsNamedOnOneLineWithTheMend) {
  EXPECT_EQ(error_of({"--show-stat"}), "unknown option --show-stat; is --show-stats meant?");
  EXPECT_EQ(error_of({"-x"}), "unknown option -x; see hipcache --help");
  EXPECT_EQ(error_of({"-s", "word"}), "unknown option word; see hipcache --help");
  EXPECT_EQ(error_of({"-sz"}), "unknown option -sz; see hipcache --help");
  EXPECT_EQ(error_of({"--clear=yes"}), "unknown option --clear=yes; see hipcache --help");
  EXPECT_EQ(error_of({"--formats", "json"}), "unknown option --formats; is --format meant?");
  EXPECT_EQ(error_of({""}), "unknown option ; see hipcache --help");
}

TEST(Options, AFormatOfStatisticsMayBeMarkdown) {
  EXPECT_EQ(parse_options({"-s", "--format", "markdown"}).value().format, Format::markdown);
  EXPECT_THAT(error_of({"-p", "--format", "markdown"}),
              HasSubstr("--format markdown goes with --show-stats and --report"));
}

TEST(Options, FailUnderIsAShareOfStatistics) {
  EXPECT_EQ(parse_options({"-s", "--fail-under", "90"}).value().fail_under, 90.0);
  EXPECT_EQ(parse_options({"-s", "--fail-under=99.5"}).value().fail_under, 99.5);
  EXPECT_FALSE(parse_options({"-s"}).value().fail_under);
  for (const char* wrong : {"90%", "101", "-1", "", "nan", "many"})
    EXPECT_THAT(error_of({"-s", std::string("--fail-under=") + wrong}), HasSubstr("a number from 0 to 100")) << wrong;
  EXPECT_THAT(error_of({"-z", "--fail-under", "90"}), HasSubstr("--fail-under goes with --show-stats"));
}

TEST(Options, ReportMayHaveAFileAndAForm) {
  EXPECT_EQ(parse_options({"--report"}).value().action, Action::report);
  EXPECT_EQ(parse_options({"--report"}).value().value, "");
  EXPECT_EQ(parse_options({"--report", "a.html"}).value().value, "a.html");
  EXPECT_EQ(parse_options({"--report=a.html"}).value().value, "a.html");
  EXPECT_EQ(parse_options({"--report", "-"}).value().value, "-");
  EXPECT_EQ(parse_options({"--report", "--format", "trace"}).value().format, Format::trace);
  EXPECT_EQ(parse_options({"--report", "a", "--format=html"}).value().format, Format::html);
  EXPECT_EQ(parse_options({"--report", "--format", "markdown", "--fail-under", "50"}).value().fail_under, 50.0);
  EXPECT_THAT(error_of({"--report="}), HasSubstr("--report needs a value"));
  EXPECT_THAT(error_of({"--report", "--format", "trace", "a"}), HasSubstr("a must stand right behind --report"));
  EXPECT_THAT(error_of({"--report", "a", "b"}), HasSubstr("b must stand right behind --report"));
  EXPECT_THAT(error_of({"--report", "--format", "text"}), HasSubstr("html, markdown, json or trace, not text"));
  EXPECT_THAT(error_of({"-s", "--format", "html"}), HasSubstr("html and trace go with --report"));
  EXPECT_THAT(error_of({"--plan", "--format", "trace", "--", "cc"}), HasSubstr("html and trace go with --report"));
}

TEST(Options, ReportIsSinceAnAgeOrATime) {
  const auto since = [](const std::string& text) {
    return parse_options({"--report", "--since", text}).value().since_us;
  };
  EXPECT_EQ(since("2023-11-14T22:13:20Z"), 1'700'000'000'000'000u);
  EXPECT_EQ(since("2023-11-14 22:13Z"), 1'699'999'980'000'000u);
  EXPECT_EQ(since("2023-11-14Z"), 1'699'920'000'000'000u);
  const auto now = static_cast<std::uint64_t>(std::time(nullptr)) * 1'000'000;
  EXPECT_NEAR(static_cast<double>(*since("90m")), static_cast<double>(now - 5'400'000'000), 60e6);
  EXPECT_NEAR(static_cast<double>(*since("30")), static_cast<double>(now - 30'000'000), 60e6);
  EXPECT_FALSE(parse_options({"--report"}).value().since_us);
  for (const char* wrong : {"", "yesterday", "2023-13-01", "2023-11-14T22", "1x"})
    EXPECT_THAT(error_of({"--report", std::string("--since=") + wrong}), HasSubstr("--since is an age such as"))
        << wrong;
  EXPECT_THAT(error_of({"-s", "--since", "1h"}), HasSubstr("--since goes with --report"));
}

TEST(Options, ExportTakesAFileArchitecturesASizeAndAnAge) {
  const Options options = parse_options({"--export", "results.tar.zst", "--arch", "gfx906,gfx90a:xnack+",
                                         "--arch=gfx1030", "--max-size", "2G", "--newer-than", "90m"})
                              .value();
  EXPECT_EQ(options.action, Action::export_results);
  EXPECT_EQ(options.value, "results.tar.zst");
  EXPECT_THAT(options.archs, ElementsAre("gfx906", "gfx90a:xnack+", "gfx1030"));
  EXPECT_EQ(options.max_size, 2'000'000'000u);
  EXPECT_EQ(options.newer_than, std::chrono::minutes(90));
  EXPECT_EQ(parse_options({"--import=-"}).value().value, "-");
  EXPECT_EQ(parse_options({"--import", "a"}).value().action, Action::import_results);
}

TEST(Options, APublicKeyIsThatOfAFile) {
  EXPECT_EQ(parse_options({"--public-key", "ci.pem"}).value().action, Action::public_key);
  EXPECT_EQ(parse_options({"--public-key", "ci.pem"}).value().value, "ci.pem");
  EXPECT_EQ(error_of({"--public-key"}), "--public-key needs a value; see hipcache --help");
}

TEST(Options, ExportNamesWhatIsWrong) {
  EXPECT_EQ(error_of({"--export"}), "--export needs a value; see hipcache --help");
  EXPECT_EQ(error_of({"--export", "--max-size", "2G"}), "--export needs a value; see hipcache --help");
  EXPECT_EQ(error_of({"--export="}), "--export needs a file; see hipcache --help");
  EXPECT_THAT(error_of({"--export", "a", "--arch", "../x"}), HasSubstr("--arch is a list of architectures"));
  EXPECT_THAT(error_of({"--export", "a", "--max-size", "big"}), HasSubstr("--max-size: \"big\" is not a size"));
  EXPECT_THAT(error_of({"--export", "a", "--newer-than", "x"}), HasSubstr("--newer-than: \"x\" is not a duration"));
  EXPECT_THAT(error_of({"--import", "a", "--max-size", "2G"}), HasSubstr("--max-size goes with --export"));
  EXPECT_THAT(error_of({"--export", "a", "--export", "b"}), HasSubstr("more than one action"));
}

TEST(Options, VerboseGoesWithStatisticsAlone) {
  EXPECT_FALSE(parse_options({"-s"}).value().verbose);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"-s", "-v"}, {"--verbose", "--show-stats"}, {"-sv"}}) {
    const Options options = parse_options(words).value();
    EXPECT_EQ(options.action, Action::show_stats);
    EXPECT_TRUE(options.verbose);
  }
  EXPECT_EQ(error_of({"-z", "-v"}), "--verbose goes with --show-stats; see hipcache --help");
  EXPECT_THAT(error_of({"-v"}), HasSubstr("no action"));
}

TEST(Options, NoneOrMoreThanOneActionIsAnError) {
  EXPECT_THAT(error_of({}), HasSubstr("no action"));
  EXPECT_THAT(error_of({"-s", "-z"}), HasSubstr("more than one action"));
}

TEST(Options, HelpNamesEveryOption) {
  for (const char* name : {"--show-stats",      "--zero-stats",     "--clear",
                           "--cleanup",         "--show-config",    "--plan",
                           "--explain",         "--doctor",         "--start-server",
                           "--stop-server",     "--version",        "--help",
                           "--format",          "--export FILE",    "--import FILE",
                           "--public-key FILE", "--generate WHAT",  "--arch LIST",
                           "--max-size SIZE",   "--newer-than AGE", "--fail-under PERCENT",
                           "-v,--verbose",      "--report [FILE]",  "--watch",
                           "--since TIME"})
    EXPECT_THAT(help_text(), HasSubstr(name));
}

}  // namespace
}  // namespace hipcache::cli
