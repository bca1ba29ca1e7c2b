// `hipcache --report` of real compiles in its four forms, and `hipcache --watch` while one runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <map>
#include <optional>

#include "integration/support/single_compile.h"
#include "support/comes_true.h"

namespace hipcache::integration {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class Report : public SingleCompile {
 protected:
  void build(const Arguments& argv) {
    const Ended ended = cache_.run(argv, project_.path());
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
  }

  Ended report(const std::string& options) const {
    return cache_.run(Arguments{"--report"} + words(options), project_.path());
  }
  json json_report(const std::string& options = "") const {
    const Ended ended = report("--format json " + options);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return json::parse(ended.out);
  }
};

TEST_P(Report, HasTheBuildSinceTheStatisticsWereZeroed) {
  build(command());
  EXPECT_EQ(json_report()["requests"]["miss"], 1);
  EXPECT_EQ(json_report()["begins"], "the last burst of requests");
  EXPECT_EQ(cache_.control("--zero-stats").exit_code, 0);
  build(command());
  build(command("-O2"));
  const json report = json_report();
  EXPECT_EQ(report["begins"], "since --zero-stats");
  EXPECT_EQ(report["requests"]["hit"], 1);
  EXPECT_EQ(report["requests"]["miss"], 1);
  EXPECT_EQ(report["hit_rate"], 50.0);
  EXPECT_GT(report["saved_us"], 0);
  EXPECT_GT(report["processor_saved_us"], 0);
  for (const json& step : report["steps"])
    if (step["is_arch"] == true) {
      EXPECT_EQ(step["hit"], 1) << step;
      EXPECT_EQ(step["run"], 1) << step;
    }
  std::map<std::string, std::string> reasons;
  for (const json& miss : report["misses"]) reasons[miss["step"]] = miss["why"].at(0);
  EXPECT_EQ(reasons["device gfx906"], "argument -O2 only now");
  EXPECT_EQ(json_report("--since 1h")["requests"]["miss"], 2);
  EXPECT_EQ(json_report("--since 2099-01-01")["requests"]["hit"], 0);
}

TEST_P(Report, IsAPageInTheFileThatIsNamed) {
  build(command());
  EXPECT_EQ(report("").out, "hipcache-report.html: 1 request, the last burst of requests\n");
  EXPECT_THAT(support::read_bytes(project_ / "hipcache-report.html"), HasSubstr("no compile of this output is stored"));
  EXPECT_EQ(report("a.html").exit_code, 0);
  EXPECT_THAT(support::read_bytes(project_ / "a.html"), HasSubstr("</html>"));
  EXPECT_THAT(report("-").out, HasSubstr("</html>"));
  const Ended nowhere = report("missing/a.html");
  EXPECT_EQ(nowhere.exit_code, 1);
  EXPECT_THAT(nowhere.err, HasSubstr("missing/a.html"));
}

TEST_P(Report, HasFormsForJobsAndForTraceViewers) {
  build(command());
  EXPECT_THAT(report("--format markdown").out, HasSubstr("| gfx906 | 0 | 1 | 0 |"));
  const json trace = json::parse(report("--format trace").out);
  std::vector<std::string> tracks;
  for (const json& event : trace["traceEvents"])
    if (event["name"] == "process_name") tracks.push_back(event["args"]["name"]);
  EXPECT_THAT(tracks, testing::IsSupersetOf({"requests", "gfx1030", "gfx906", "host", "bundle"}));
}

TEST_P(Report, FailsUnderAHitRate) {
  EXPECT_THAT(report("--fail-under 0").err, HasSubstr("nothing was looked up in this build"));
  build(command());
  build(command());
  EXPECT_EQ(report("--fail-under 50").exit_code, 0);
  const Ended low = report("--format markdown --fail-under 51");
  EXPECT_EQ(low.exit_code, 1);
  EXPECT_THAT(low.err, HasSubstr("the hit rate is 50.0 %, less than 51 %: 3 of 6 steps, 1 of 2 requests as a whole"));
  EXPECT_THAT(low.out, HasSubstr("**50.0 %**"));
}

// One architecture more: what is found counts, in the statistics and in the report alike.
TEST_P(Report, RatesThePartThatWasFound) {
  build(command());
  EXPECT_EQ(cache_.control("--zero-stats").exit_code, 0);
  build(command("-O1 --offload-arch=gfx90a"));
  const json report = json_report();
  EXPECT_EQ(report["step_hit_rate"], 75.0);
  EXPECT_EQ(report["rated_steps"], json({{"hit", 3}, {"run", 1}}));
  EXPECT_EQ(report["hit_rate"], 0.0);
  const json statistics = cache_.counts().json;
  EXPECT_EQ(statistics["rated_steps"], report["rated_steps"]);
  EXPECT_GT(statistics["processor_saved_ms"], 0);
  EXPECT_EQ(cache_.run(words("--show-stats --fail-under 75"), project_.path()).exit_code, 0);
  EXPECT_EQ(cache_.run(words("--show-stats --fail-under 75.1"), project_.path()).exit_code, 1);
  project_.write("a.hip", "wrong");
  EXPECT_NE(cache_.run(command(), project_.path()).exit_code, 0);
  EXPECT_EQ(cache_.counts().json["rated_steps"], report["rated_steps"]) << "a failed compile does not count";
  EXPECT_EQ(json_report()["rated_steps"], report["rated_steps"]);
}

// Reads what a program prints while it runs.
class Watched {
 public:
  Watched(const Cache& cache, const support::Scratch& project)
      : output_(project / "watched"), project_(project.path()) {
    started_.emplace(Arguments{"/bin/sh", "-c", "exec \"$0\" --watch > \"$1\"", hipcache_program(), output_}, project_,
                     cache.variables());
  }
  bool shows(const std::string& text) const {
    return support::comes_true([&] { return support::read_bytes(output_).find(text) != std::string::npos; });
  }
  std::string text() const { return support::read_bytes(output_); }
  void signal(int number) const { kill(started_->pid(), number); }
  Ended wait() { return started_->wait(); }

 private:
  std::string output_;
  std::string project_;
  std::optional<Started> started_;
};

TEST_P(Report, IsWatchedLineByLineUntilASignal) {
  build(command());
  support::Scratch project;
  project.write("watched", "");
  Watched watched(cache_, project);
  EXPECT_TRUE(watched.shows("1 requests (+0), 0 running"));
  build(command());
  EXPECT_TRUE(watched.shows("50.0 % (3 of 6 steps, 1 of 2 requests as a whole), 2 requests (+1)"));
  watched.signal(SIGINT);
  const Ended ended = watched.wait();
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.err, "");
  EXPECT_EQ(watched.text().back(), '\n');
  EXPECT_EQ(watched.text().find('\x1b'), std::string::npos);
}

// A step that began and ended between two looks is not seen, so there are some.
TEST_P(Report, IsWatchedWhileStepsRun) {
  write_slow_source();
  EXPECT_EQ(cache_.control("--start-server").exit_code, 0);
  support::Scratch project;
  project.write("watched", "");
  Watched watched(cache_, project);
  EXPECT_TRUE(watched.shows("0 running"));
  const auto has_seen = [&] { return watched.text().find("running: gfx") != std::string::npos; };
  for (int attempt = 0; attempt < 30 && !has_seen(); ++attempt)
    build(command("-O1 -fconstexpr-depth=" + std::to_string(100 + attempt)));
  EXPECT_THAT(watched.text(), HasSubstr("running: gfx"));
  EXPECT_THAT(watched.text(), HasSubstr(" a.o, store"));
  watched.signal(SIGTERM);
  EXPECT_EQ(watched.wait().exit_code, 0);
}

TEST_P(Report, IsWatchedUntilTheDaemonEnds) {
  EXPECT_EQ(cache_.control("--start-server").exit_code, 0);
  support::Scratch project;
  project.write("watched", "");
  Watched watched(cache_, project);
  EXPECT_TRUE(watched.shows("0 running"));
  cache_.end_daemon(SIGKILL);
  const Ended ended = watched.wait();
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.err, HasSubstr("hipcached does not reply any more"));
}

INSTANTIATE_TEST_SUITE_P(Compilers, Report, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
