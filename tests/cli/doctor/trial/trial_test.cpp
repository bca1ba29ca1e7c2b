#include "cli/doctor/trial/trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/show/show.h"
#include "hipcache/config/remote_url.h"

namespace hipcache::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(OnlyRead, HasTheModeInPlaceOfAnyOther) {
  EXPECT_EQ(only_read("http://h/"), "http://h/?mode=ro");
  EXPECT_EQ(only_read("http://h/?mode=rw"), "http://h/?mode=ro");
  EXPECT_EQ(only_read("http://h/?timeout=1s&mode=wo&prefix=p"), "http://h/?timeout=1s&prefix=p&mode=ro");
  for (const char* url : {"file:///c", "redis://h/3?user=u", "s3://bucket/p?region=r&mode=rw"}) {
    const Result<config::RemoteUrl> parsed = config::parse_remote_url(only_read(url));
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_TRUE(parsed->reads && !parsed->writes);
  }
}

TEST(Trials, HaveACacheOfTheirOwnAndOfTheSettingsThoseForCompilers) {
  config::Settings settings;
  settings.compilers = {"mpicxx=gcc"};
  settings.remote = {"file:///shared", "file:///written?mode=wo"};
  settings.readonly = true;
  const Result<Trial> trial = Trial::make("/usr/bin/env", settings);
  ASSERT_TRUE(trial) << trial.error().message;
  const std::string environment = trial->run({}).value().out;
  EXPECT_THAT(environment, HasSubstr("HIPCACHE_COMPILERS=mpicxx=gcc\n"));
  EXPECT_THAT(environment, HasSubstr("HIPCACHE_REMOTE=file:///shared?mode=ro\n"));
  EXPECT_THAT(environment, HasSubstr("HIPCACHE_CONFIG=/dev/null\n"));
  EXPECT_THAT(environment, Not(HasSubstr("HIPCACHE_READONLY")));
  EXPECT_THAT(environment, testing::ContainsRegex("HIPCACHE_DIR=/.*/cache\n"));
}

TEST(ProgramRun, KeepsWhatIsPrintedAndTheExitCode) {
  const Ran ran = run_program({"/bin/sh", "-c", "echo out; echo err >&2; exit 3"}, {}).value();
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_EQ(ran.out, "out\n");
  EXPECT_EQ(ran.err, "err\n");
}

TEST(ProgramRun, AProgramThatIsMissingIsAnError) { EXPECT_FALSE(run_program({"/no/such/program"}, {})); }

TEST(FirstError, IsTheLineThatSaysSoElseTheFirst) {
  EXPECT_EQ(first_error("a.c:1: warning: x\na.c:2: error: y\nmore"), "a.c:2: error: y");
  EXPECT_EQ(first_error("clang: failed\nmore"), "clang: failed");
  EXPECT_EQ(first_error("error: at once"), "error: at once");
  EXPECT_EQ(first_error(""), "");
}

Treatment treatment(const std::vector<protocol::PlanStep>& steps, const std::string& reason = "") {
  protocol::PlanReport plan;
  plan.reason = reason;
  plan.steps = steps;
  return treatment_in(plan_to_json(plan)).value();
}

TEST(Treatments, AreReadFromThePlan) {
  EXPECT_EQ(treatment({}, "link"), Treatment::bypass);
  EXPECT_EQ(treatment({{.name = "compile"}}), Treatment::is_opaque);
  EXPECT_EQ(treatment({{.name = "device gfx906"}, {.name = "bundle"}, {.name = "host"}}), Treatment::split);
  EXPECT_EQ(treatment({{.name = "device gfx906 front end"}, {.name = "device gfx906 back end"}, {.name = "host"}}),
            Treatment::split_by_new_driver);
  EXPECT_FALSE(treatment_in("no JSON"));
  EXPECT_FALSE(treatment_in("{}"));
}

TEST(Reasons, AreThoseOfTheStatistics) {
  stats::Snapshot statistics;
  EXPECT_EQ(reason_in(statistics), "hipcache --explain says more");
  statistics.not_stored["unknown-call"] = 1;
  EXPECT_EQ(reason_in(statistics), "unknown-call");
  statistics.not_cached = {{"rare", 1}, {"not-a-compiler", 2}};
  statistics.not_cached_detail["not-a-compiler"] = "mycc: name it";
  EXPECT_EQ(reason_in(statistics), "not-a-compiler: mycc: name it");
}

TEST(Ties, OfScriptsAreReadFromTheExplanation) {
  EXPECT_EQ(tie_in(R"({"steps": [{"ties": []}, {"ties": [{"kind": "absolute_path", "text": "elsewhere"},
                       {"kind": "environment", "text": "kept to this machine: hipcc"}]}]})"),
            "kept to this machine: hipcc");
  for (const char* none : {"no JSON", "{}", R"({"steps": [{}, 1, {"ties": [1, {"kind": "cuid", "text": "x"}]}]})"})
    EXPECT_EQ(tie_in(none), "") << none;
}

}  // namespace
}  // namespace hipcache::cli
