// The event log of real compiles: which lines a cold, a warm, a widened and an edited compile leave, and what happens
// to them without a disk, after a kill and after damage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <utility>

#include "hipcache/events/event_log.h"
#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

using events::RequestEvent;
using events::StepEvent;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

// A request of the log, with its steps.
struct Logged {
  RequestEvent request;
  std::vector<StepEvent> steps;

  const StepEvent& step(const std::string& label) const {
    static const StepEvent kNone;
    for (const StepEvent& step : steps)
      if (step.label == label) return step;
    ADD_FAILURE() << "no event of " << label;
    return kNone;
  }
  std::vector<std::string> labels(const std::string& outcome) const {
    std::vector<std::string> labels;
    for (const StepEvent& step : steps)
      if (step.outcome == outcome && step.kind != "proof" && step.kind != "probe") labels.push_back(step.label);
    return labels;
  }
};

class Events : public SingleCompile {
 protected:
  void build(const Arguments& argv, const Variables& variables = {}) {
    const Ended ended = cache_.run(argv, project_.path(), variables);
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
  }

  Arguments for_archs(const std::vector<std::string>& names, const std::string& flags = "-O1") const {
    return GetParam().hip() + archs(names) + words(flags) + Arguments{"-c", "a.hip", "-o", "a.o"};
  }

  std::string file(const char* name = events::kNewerFile) const { return cache_.daemon_directory() + "/" + name; }

  // The requests in the order in which they began. The statistics make the daemon write its lines.
  std::vector<Logged> all(std::uint64_t damaged = 0) const {
    EXPECT_EQ(cache_.control("--show-stats").exit_code, 0);
    const Result<events::ReadEvents> read = events::read_event_files(cache_.daemon_directory());
    EXPECT_TRUE(read.ok());
    EXPECT_EQ(read->damaged, damaged);
    std::vector<Logged> requests;
    std::vector<StepEvent> steps;
    for (const events::Event& event : read->events) {
      if (const auto* step = std::get_if<StepEvent>(&event)) steps.push_back(*step);
      const auto* request = std::get_if<RequestEvent>(&event);
      if (request == nullptr) continue;
      for (const StepEvent& step : steps) EXPECT_EQ(step.request, request->id);
      requests.push_back({*request, std::exchange(steps, {})});
    }
    EXPECT_THAT(steps, IsEmpty());
    std::sort(requests.begin(), requests.end(),
              [](const Logged& one, const Logged& other) { return one.request.start_us < other.request.start_us; });
    return requests;
  }

  Logged last() const {
    const std::vector<Logged> requests = all();
    EXPECT_FALSE(requests.empty());
    return requests.empty() ? Logged() : requests.back();
  }
};

TEST_P(Events, SayWhatAColdAWarmAWidenedAndAnEditedCompileDid) {
  project_.write("a.h", "#define A 1\n");
  write_kernel(project_, "a.hip", "#include \"a.h\"\n");
  const std::uint64_t before = events::now_us();
  build(for_archs({"gfx906", "gfx1030"}));
  const Logged cold = last();
  EXPECT_EQ(cold.request.outcome, "miss");
  EXPECT_EQ(cold.request.kind, "hip");
  EXPECT_EQ(cold.request.object, "a.o");
  EXPECT_EQ(cold.request.source, "a.hip");
  EXPECT_EQ(cold.request.directory, std::filesystem::canonical(project_.path()));
  EXPECT_THAT(cold.request.archs, ElementsAre("gfx1030", "gfx906"));
  EXPECT_EQ(cold.request.bytes, std::filesystem::file_size(project_ / "a.o"));
  EXPECT_EQ(cold.request.saved_us, 0u);
  EXPECT_GE(cold.request.start_us, before);
  EXPECT_LE(cold.request.start_us + cold.request.duration_us, events::now_us());
  EXPECT_THAT(cold.labels("run"), UnorderedElementsAre("device gfx906", "device gfx1030", "bundle", "host"));
  EXPECT_THAT(cold.labels("hit"), IsEmpty());
  const StepEvent& device = cold.step("device gfx906");
  EXPECT_EQ(device.kind, "device");
  EXPECT_EQ(device.arch, "gfx906");
  EXPECT_GT(device.bytes, 0u);
  EXPECT_GT(device.duration_us, 0u);
  EXPECT_LE(device.duration_us, cold.request.duration_us);
  EXPECT_GE(device.start_us, cold.request.start_us);
  for (const std::string& label : cold.labels("run"))
    EXPECT_THAT(cold.step(label).why, ElementsAre("no compile of this output is stored")) << label;

  build(for_archs({"gfx906", "gfx1030"}));
  const Logged warm = last();
  EXPECT_EQ(warm.request.outcome, "hit");
  EXPECT_NE(warm.request.id, cold.request.id);
  EXPECT_THAT(warm.request.steps, UnorderedElementsAre("gfx906", "gfx1030", "bundle", "host"));
  EXPECT_GT(warm.request.saved_us, 0u);
  EXPECT_GT(warm.request.processor_saved_us, 0u);
  EXPECT_EQ(warm.request.bytes, cold.request.bytes);
  EXPECT_THAT(warm.steps, IsEmpty());

  build(for_archs({"gfx906", "gfx1030", "gfx90a"}));
  const Logged wide = last();
  EXPECT_EQ(wide.request.outcome, "partial");
  EXPECT_THAT(wide.labels("run"), UnorderedElementsAre("device gfx90a", "bundle"));
  EXPECT_THAT(wide.labels("hit"), UnorderedElementsAre("device gfx906", "device gfx1030", "host"));
  EXPECT_THAT(wide.step("device gfx90a").why, ElementsAre("no compile for this architecture is stored"));
  EXPECT_GT(wide.request.saved_us, 0u);
  EXPECT_GT(wide.step("device gfx906").saved_us, 0u);
  EXPECT_GT(wide.request.processor_saved_us, wide.step("device gfx906").processor_saved_us);

  project_.write("a.h", "#define A 2\n");
  build(for_archs({"gfx906", "gfx1030", "gfx90a"}));
  const Logged edited = last();
  for (const char* label : {"device gfx906", "device gfx1030", "device gfx90a", "host"})
    EXPECT_THAT(edited.step(label).why, ElementsAre(HasSubstr("tokens of"))) << label;
  EXPECT_EQ(all().size(), 4u);
}

// The back end of a step in two processes: an edit alone is not why it runs.
TEST_P(Events, SayThatABackEndRunsForWhatItsFrontEndMade) {
  const auto write = [this](const std::string& before, const std::string& body) {
    write_kernel(project_, "a.hip",
                 before + "__global__ void heavy(float* x, int n) {\n#pragma unroll 700\n" +
                     "  for (int i = 0; i < 700; ++i) x[i] = x[i + 1] * x[n] + x[i * n]" + body + ";\n}\n");
  };
  const auto of_front_end = HasSubstr("what device gfx906 front end made");
  write("", "+ 1");
  build(for_archs({"gfx906"}));
  EXPECT_THAT(last().step("device gfx906").why, Not(Contains(of_front_end)));
  write("", "- 1");
  build(for_archs({"gfx906"}));
  EXPECT_THAT(last().step("device gfx906").why, ElementsAre(of_front_end, HasSubstr("tokens of")));
  write("#define COMMENTED 1\n", "- 1");
  build(for_archs({"gfx906"}));
  EXPECT_THAT(last().step("device gfx906").why, ElementsAre(HasSubstr("tokens of")));
}

// Those of --explain before the compile, which has more of them for the request.
TEST_P(Events, GiveTheReasonsThatExplainGives) {
  build(command("-O1"));
  const Arguments edited = command("-O1 -DFURTHER");
  const Ended told = cache_.run(Arguments{"--explain", "--format", "json", "--"} + edited, project_.path());
  build(edited);
  const Logged logged = last();
  for (const nlohmann::json& step : nlohmann::json::parse(told.out).at("steps")) {
    if (step.at("verdict") != "would run" || step.at("name") == "probe") continue;
    std::vector<std::string> lines;
    for (const nlohmann::json& difference : step.at("differences")) lines.push_back(difference.at("text"));
    EXPECT_EQ(logged.step(step.at("name")).why, lines) << step;
  }
}

TEST_P(Events, TellOpaqueCompilesLinksFailuresAndBypasses) {
  project_.write("a.cpp", "int main() {}\n");
  build(Arguments{GetParam().program()} + words("-c a.cpp -o b.o"));
  EXPECT_EQ(last().request.kind, "compile");
  EXPECT_THAT(last().labels("run"), ElementsAre("compile"));
  EXPECT_EQ(last().request.bytes, std::filesystem::file_size(project_ / "b.o"));
  build(Arguments{GetParam().program()} + words("-c a.cpp -o b.o"));
  EXPECT_EQ(last().request.outcome, "hit");

  project_.write("a.cpp", "int main() { error }\n");
  EXPECT_NE(cache_.run(Arguments{GetParam().program()} + words("-c a.cpp -o b.o"), project_.path()).exit_code, 0);
  EXPECT_NE(last().request.exit_code, 0);
  EXPECT_THAT(last().labels("failed"), ElementsAre("compile"));

  project_.write("c.cpp", "");
  build(Arguments{GetParam().program()} + words("-c c.cpp -o c.o"),
        {{"HIPCACHE_DISABLE", "0"}, {"HIPCACHE_JOBS", "many"}});
  const Logged passed = last();
  EXPECT_EQ(passed.request.outcome, "passthrough");
  EXPECT_EQ(passed.request.object, "c.o");
  EXPECT_EQ(passed.request.source, "c.cpp");
  EXPECT_EQ(passed.request.reason, "bad-configuration");
  EXPECT_EQ(passed.request.detail, "HIPCACHE_JOBS");
}

TEST_P(Events, HoldNoValuesOfVariablesAndMacros) {
  const std::string secret = "s3cret";
  project_.make_directory(secret);
  write_kernel(project_, "a.hip", "#ifdef TOKEN\n#endif\n");
  const auto compile = [&](const std::string& token, const std::string& path) {
    build(command("-O1 -DTOKEN=" + secret + token),
          {{"CPATH", project_ / (secret + path)}, {"HIPCACHE_REMOTE", "http://user:" + secret + "@127.0.0.1:1/"}});
  };
  compile("", "");
  compile("2", "");
  compile("2", "3");
  build(command(), {{"HIPCACHE_REMOTE", "ftp://" + secret}});
  const std::vector<Logged> requests = all();
  ASSERT_EQ(requests.size(), 4u);
  EXPECT_THAT(requests[1].step("host").why, Contains(HasSubstr("TOKEN=... only now")));
  EXPECT_THAT(requests[2].step("probe").why, Contains("variable CPATH differs"));
  EXPECT_EQ(requests[3].request.reason, "bad-configuration");
  EXPECT_THAT(support::read_bytes(file()), Not(HasSubstr(secret)));
}

TEST_P(Events, SurviveAKilledDaemonAndDamage) {
  build(command());
  EXPECT_EQ(all().size(), 1u);
  cache_.end_daemon(SIGKILL);
  std::ofstream(file(), std::ios::app) << R"({"v":1,"event":"requ)";
  build(command());
  EXPECT_EQ(all(1).size(), 2u);
  EXPECT_EQ(all(1).back().request.outcome, "hit");
}

TEST_P(Events, AreWrittenWhenTheDaemonEnds) {
  build(command());
  EXPECT_EQ(cache_.control("--stop-server").exit_code, 0);
  EXPECT_THAT(support::read_bytes(file()), HasSubstr("\"outcome\":\"miss\""));
}

TEST_P(Events, ThatCannotBeWrittenCostNoCompileAndAreCounted) {
  build(command());
  EXPECT_EQ(all().size(), 1u);
  std::filesystem::remove(file());
  std::filesystem::create_directory(file());
  check(command("-O2"));
  check(command("-O2"));
  EXPECT_GE(cache_.counts().json.at("events").at("failed"), 6);  // of two requests, two devices, a bundle and a host
  EXPECT_EQ(cache_.counts().errors, 0);
  EXPECT_THAT(support::read_bytes(cache_.daemon_directory() + "/daemon.log"), HasSubstr("lines of the event log"));
  std::filesystem::remove(file());
  build(command("-O2"));
  EXPECT_EQ(last().request.outcome, "hit");
}

TEST_P(Events, AreNotKeptIfTheirSizeIsZero) {
  build(command(), {{"HIPCACHE_EVENT_LOG", "0"}});
  EXPECT_THAT(all(), IsEmpty());
  EXPECT_FALSE(support::exists(file()));
}

TEST_P(Events, StayWithinTheirSize) {
  const Variables small{{"HIPCACHE_EVENT_LOG", "4k"}};
  build(command(), small);
  for (int hits = 0; hits < 20; ++hits) build(command(), small);
  EXPECT_EQ(last().request.outcome, "hit");
  EXPECT_TRUE(support::exists(file(events::kOlderFile)));
  for (const char* name : {events::kNewerFile, events::kOlderFile})
    EXPECT_LE(std::filesystem::file_size(file(name)), 2000u);
  EXPECT_EQ(cache_.counts().json.at("events").at("dropped"), 0);
}

TEST_P(Events, HaveALineInTheDaemonsLogThatNamesTheObject) {
  const Variables logged{{"HIPCACHE_LOG", project_ / "log"}};
  build(command(), logged);
  build(command(), logged);
  EXPECT_EQ(all().size(), 2u);
  EXPECT_THAT(support::read_bytes(project_ / "log"), HasSubstr(" a.o: miss in "));
  EXPECT_THAT(support::read_bytes(project_ / "log"), HasSubstr(" a.o: hit in "));
}

INSTANTIATE_TEST_SUITE_P(Compilers, Events, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
