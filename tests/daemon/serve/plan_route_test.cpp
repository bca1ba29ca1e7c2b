// How the daemon asks the driver for its jobs, and what it does if it cannot.
#include <unistd.h>

#include "daemon/serve/scripted_client.h"
#include "hipcache/base/files.h"

namespace hipcache::daemon {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PlanRoute : public RouteTest {
 protected:
  void on_each_probe(const Edit& edit) {
    on("neutral probe", edit);
    on("probe", edit);
  }
};

TEST_F(PlanRoute, AsksByOwnNamesIfTheNeutralProbeFailsAndPassesThroughIfBothFail) {
  on_each_probe([](Ran& run) { run.fail("clang++: error: no such option\n"); });
  const Reply reply = compile();
  EXPECT_THAT(reply.asked, ElementsAre("neutral probe", "probe"));
  EXPECT_EQ(reply.reason(), "probe-failed");
  EXPECT_EQ(counted().not_cached, (std::map<std::string, std::uint64_t>{{"probe-failed", 1}}));
  EXPECT_EQ(counted().not_cached_detail["probe-failed"], "exit code 1: clang++: error: no such option");
  EXPECT_EQ(counted().probe.run, 2u);
}

TEST_F(PlanRoute, PassesThroughIfTheProbeCannotStart) {
  on_each_probe([](Ran& run) { run.report.spawn_error = "no memory"; });
  const Reply reply = compile();
  EXPECT_EQ(reply.reason(), "probe-failed");
  EXPECT_EQ(counted().not_cached_detail["probe-failed"], "no memory");
}

TEST_F(PlanRoute, RunsTheCommandAsOneIfWhatTheDriverPrintsIsNotUnderstood) {
  plan_ = "clang version 99\n";
  const Reply reply = compile();
  EXPECT_THAT(reply.asked, ElementsAre("neutral probe", "clang++"));
  EXPECT_EQ(reply.finish().exit_code, 0);
  EXPECT_EQ(counted().not_split["plan-not-understood"], 1u);
  EXPECT_THAT(compile().asked, ElementsAre()) << "its result is stored";
  EXPECT_EQ(counted().hit, 1u);
}

TEST_F(PlanRoute, SharesTheProbeOfUnitsThatDifferInTheirNames) {
  compile();
  write("b.hip", "another source\n");
  argv_[5] = "b.hip";
  argv_[7] = "b.o";
  const Reply reply = compile();
  EXPECT_THAT(reply.asked, ElementsAre("device gfx906", "host"));
  EXPECT_TRUE(reply.outputs.contains("b.o"));
  EXPECT_EQ(counted().probe.hit, 1u);
}

TEST_F(PlanRoute, AsksByOwnNamesIfTheDriverMakesAnotherNameOfANeutralOne) {
  on("neutral probe", [](Ran& run) {
    run.report.stderr_text = replaced(run.report.stderr_text, "\"-O0\"", "\"-O0\" \"x-hipcache-object.o-x\"");
  });
  EXPECT_THAT(compile().asked,
              ElementsAre("neutral probe", "probe", "fatbin proof", "device gfx906", "host", "bundle"));
}

TEST_F(PlanRoute, UsesANeutralPlanThatItsAuditFindsEqual) {
  set("HIPCACHE_AUDIT", "1");
  EXPECT_THAT(compile().asked,
              ElementsAre("neutral probe", "probe", "fatbin proof", "device gfx906", "host", "bundle"));
  EXPECT_EQ(counted().errors, 0u);
}

TEST_F(PlanRoute, UsesTheUnitsOwnPlanFromTheAuditOnThatFindsAnother) {
  set("HIPCACHE_AUDIT", "1");
  std::vector<std::string> words;
  on("probe", [](Ran& run) {
    run.report.stderr_text = replaced(run.report.stderr_text, "\"-mframe-pointer=none\"", "\"-mframe-pointer=all\"");
  });
  on("device gfx906", [&](Ran& run) { words = run.step.commands.front().argv; });
  EXPECT_EQ(compile().finish().exit_code, 0);
  EXPECT_THAT(words, Contains("-mframe-pointer=all"));
  EXPECT_EQ(counted().errors, 1u);
  write("b.hip", "another source\n");
  argv_[5] = "b.hip";
  EXPECT_THAT(compile().asked, ElementsAre("probe", "device gfx906", "host", "bundle")) << "no neutral probe any more";
}

TEST_F(PlanRoute, PassesThroughIfTheCompilerLeavesNoTrace) {
  on_each_probe([](Ran& run) { run.traces.clear(); });
  const Reply reply = compile();
  EXPECT_THAT(reply.asked, ElementsAre("neutral probe", "probe"));
  EXPECT_EQ(reply.reason(), "untraceable-compiler");
}

TEST_F(PlanRoute, AsksForNoPlanIfAVariableMakesTheDriverReport) {
  set("CC_PRINT_HEADERS", "1");
  EXPECT_THAT(compile().asked, ElementsAre("clang++"));
  EXPECT_EQ(counted().not_split["extra-output"], 1u);
  EXPECT_EQ(counted().not_split_detail["extra-output"], "CC_PRINT_HEADERS");
  set("CC_PRINT_PROC_STAT", "1");
  const Reply reply = compile();
  EXPECT_THAT(reply.asked, IsEmpty());
  EXPECT_EQ(reply.reason(), "statistics");
}

TEST_F(PlanRoute, PassesThroughIfTheDriverLosesDebugInformation) {
  plan_ = replaced(plan_of("clang-19/one-arch"), "\"-target-cpu\" \"gfx906\"",
                   "\"-target-cpu\" \"gfx906\" \"-split-dwarf-file\" \"/tmp/probe/a.dwo\" \"-split-dwarf-output\" "
                   "\"/tmp/probe/a.dwo\"");
  const Reply reply = compile();
  EXPECT_EQ(reply.reason(), "split-dwarf");
  EXPECT_EQ(counted().not_cached["split-dwarf"], 1u);
}

TEST_F(PlanRoute, PassesThroughIfTheCompilerIsAnotherCache) {
  on_each_probe([&](Ran& run) { run.saw(trace::Kind::program, scratch_.write("bin/ccache", "")); });
  const Reply reply = compile();
  EXPECT_THAT(reply.asked, ElementsAre("neutral probe", "probe"));
  EXPECT_EQ(reply.reason(), "not-a-compiler");
}

TEST_F(PlanRoute, LeavesAWrapperThatStartsHipcacheToRunByItself) {
  on_each_probe([&](Ran& run) {
    run.saw(trace::Kind::program, bin_ + "/clang");
    run.saw(trace::Kind::execute, scratch_.write("bin/hipcache", ""));
  });
  EXPECT_EQ(compile().reason(), "compiler-is-a-wrapper");
  const Reply next = compile();
  EXPECT_THAT(next.asked, IsEmpty());
  EXPECT_EQ(next.reason(), "compiler-is-a-wrapper");
}

// amdclang++ becomes clang++ beside itself, and leaves no trace.
class WrapperRoute : public PlanRoute {
 protected:
  struct Start {
    std::string program, parent, umask, directory;
    std::vector<std::string> words, variables;
  };

  WrapperRoute() {
    argv_[0] = "amdclang++";
    on_each_probe([&](Ran& run) { run.traces[".trace"].front().text = bin_ + "/clang++"; });
    on("probe through wrapper", [&](Ran& run) { become_driver(run, start_in(run)); });
  }

  Start start_in(const Ran& run) const {
    Start start{bin_ + "/clang++", std::to_string(getpid()), std::to_string(umask_), work_, argv_, environment_};
    start.words.front() = "clang++";
    start.variables.push_back("TMPDIR=" + run.step.directory);
    start.variables.push_back("LD_PRELOAD=" + services_.trace_library);
    return start;
  }

  // As src/trace/preload/driver.c notes the start.
  static void become_driver(Ran& run, const Start& start, const std::string& number = "0") {
    run.traces[".trace"].front().text = start.program;
    std::string bytes;
    for (const std::string& field :
         {start.program, start.parent, start.umask, start.directory, std::to_string(start.words.size())})
      bytes += field + '\0';
    for (const std::string& word : start.words) bytes += word + '\0';
    for (const std::string& variable : start.variables) bytes += variable + '\0';
    run.files[run.in_directory("driver." + number)] = bytes + '\0';
  }

  // The detail with which the command runs as one, if the wrapper does so.
  std::string refusal(const std::function<void(Ran&, Start&)>& edit) {
    on("probe through wrapper", [&, edit](Ran& run) {
      Start start = start_in(run);
      edit(run, start);
      become_driver(run, start);
    });
    EXPECT_EQ(compile().asked.back(), "amdclang++");
    return counted().not_split_detail["compiler-is-a-wrapper"];
  }
};

TEST_F(WrapperRoute, IsAskedASecondTimeAndItsPlanIsSplit) {
  EXPECT_THAT(compile().asked, ElementsAre("neutral probe", "probe", "probe through wrapper", "fatbin proof",
                                           "device gfx906", "host", "bundle"));
  EXPECT_EQ(counted().not_split, (std::map<std::string, std::uint64_t>{}));
  write("a.hip", "another source\n");
  EXPECT_THAT(compile().asked, Contains("device gfx906"));
}

TEST_F(WrapperRoute, RunsAsOneIfItDoesMoreThanBecomeTheDriver) {
  const auto ends_with = [](const std::string& text) { return ::testing::EndsWith(text); };
  EXPECT_THAT(refusal([](Ran&, Start& start) { start.parent = "1"; }),
              ends_with("waits for the driver instead of becoming it"));
  write("a.hip", "2");
  EXPECT_THAT(refusal([](Ran&, Start& start) { start.words.push_back("-DX"); }), ends_with("changes the command"));
  write("a.hip", "3");
  EXPECT_THAT(refusal([](Ran&, Start& start) { start.directory = "/"; }), ends_with("changes the directory"));
  write("a.hip", "4");
  EXPECT_THAT(refusal([](Ran&, Start& start) { start.umask = "7777"; }), ends_with("changes the mask of modes"));
  write("a.hip", "5");
  EXPECT_THAT(refusal([](Ran&, Start& start) { start.variables.push_back("X=1"); }),
              ends_with("changes the environment"));
  write("a.hip", "6");
  EXPECT_THAT(refusal([](Ran& run, Start&) { run.report.stdout_text = "hello"; }),
              ends_with("prints something else than jobs"));
  write("a.hip", "7");
  EXPECT_THAT(refusal([](Ran& run, Start&) { run.report.stderr_text = "hello"; }),
              ends_with("prints something else than jobs"));
  write("a.hip", "8");
  EXPECT_THAT(refusal([](Ran& run, Start&) {
                run.report.stderr_text =
                    replaced(run.report.stderr_text, "\"-mframe-pointer=none\"", "\"-mframe-pointer=all\"");
              }),
              ends_with("does not do the same twice"));
  write("a.hip", "9");
  EXPECT_THAT(refusal([](Ran& run, Start& start) { become_driver(run, start, "1"); }),
              ends_with("does not end in one start of a driver"));
}

}  // namespace
}  // namespace hipcache::daemon
