// Device steps whose code generation is split, and the proof that this needs.
#include "daemon/serve/scripted_client.h"

namespace hipcache::daemon {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class SplitCodegenRoute : public RouteTest {
 protected:
  SplitCodegenRoute() {
    plan_ = plan_of("clang-19/one-arch");
    on("both gfx906", takes_seconds);
  }

  // A back end that is worth a split.
  static void takes_seconds(Ran& run) {
    run.report.processor_us = 9'000'000;
    run.files[run.step.trace_path + ".first"] = "1000000";
  }
  void edit_source() { write("a.hip", "source " + std::to_string(++edits_) + "\n"); }

 private:
  int edits_ = 0;
};

TEST_F(SplitCodegenRoute, RunsFrontAndBackInOneStartAtFirst) {
  const Reply first = compile();
  EXPECT_THAT(first.asked,
              ElementsAre("neutral probe", "fatbin proof", "split proof gfx906", "both gfx906", "host", "bundle"));
  EXPECT_EQ(first.finish().exit_code, 0);
  const stats::Snapshot counts = counted();
  EXPECT_EQ(counts.front.run, 1u);
  EXPECT_EQ(counts.back.run, 1u);
  EXPECT_EQ(counts.split_codegen_proof.run, 1u);
  EXPECT_EQ(counts.device.at("gfx906").run, 1u);
  EXPECT_THAT(compile().asked, IsEmpty());
}

TEST_F(SplitCodegenRoute, SparesTheBackEndOfAnEditThatLeavesTheBitcode) {
  const Reply first = compile();
  edit_source();
  const Reply second = compile();
  EXPECT_THAT(second.asked, ElementsAre("front gfx906", "host"));
  EXPECT_EQ(second.outputs, first.outputs);
  EXPECT_EQ(counted().back.hit, 1u);
  EXPECT_THAT(compile().asked, IsEmpty());
}

TEST_F(SplitCodegenRoute, RunsTheBackEndOfAnEditThatChangesTheBitcode) {
  compile();
  edit_source();
  on("front gfx906", [](Ran& run) { run.replace(".bc", "other bitcode"); });
  on("back gfx906", [](Ran& run) { run.replace(".out", "other code"); });
  EXPECT_THAT(compile().asked, ElementsAre("front gfx906", "host", "back gfx906", "bundle"));
  EXPECT_EQ(counted().back.run, 2u);
  EXPECT_EQ(counted().front.run, 2u);
}

TEST_F(SplitCodegenRoute, GivesTheMessagesOfTheFrontEnd) {
  on("both gfx906", [](Ran& run) {
    takes_seconds(run);
    run.report.stderr_text = "a.hip: warning: odd\n";
  });
  EXPECT_EQ(compile().finish().stderr_text, "a.hip: warning: odd\n");
  EXPECT_EQ(compile().finish().stderr_text, "a.hip: warning: odd\n");
  EXPECT_EQ(counted().hit, 1u);
}

TEST_F(SplitCodegenRoute, RunsAsOneIfTheBackEndSaysSomething) {
  on("both gfx906", [](Ran& run) { run.files[run.step.trace_path + ".said"] = "warning: stack\n"; });
  EXPECT_THAT(compile().asked, Contains("device gfx906"));
  EXPECT_THAT(logged(), HasSubstr("the back end has something to say; it runs as one"));
  edit_source();
  EXPECT_THAT(compile().asked, ElementsAre("device gfx906", "host")) << "and is not split again";
}

TEST_F(SplitCodegenRoute, RunsAsOneIfALaterBackEndSaysSomething) {
  compile();
  edit_source();
  on("front gfx906", [](Ran& run) { run.replace(".bc", "other bitcode"); });
  on("back gfx906", [](Ran& run) { run.report.stderr_text = "warning: stack\n"; });
  EXPECT_THAT(compile().asked, ElementsAre("front gfx906", "host", "back gfx906", "device gfx906"));
  EXPECT_THAT(logged(), HasSubstr("it has something to say; it runs as one"));
}

TEST_F(SplitCodegenRoute, RunsAsOneIfItCannotStart) {
  on("both gfx906", [](Ran& run) { run.report.spawn_error = "no memory"; });
  EXPECT_THAT(compile().asked, Contains("device gfx906"));
  EXPECT_THAT(logged(), HasSubstr("no memory; it runs as one"));
  EXPECT_EQ(counted().back.run, 0u);
  EXPECT_EQ(counted().miss, 1u);
}

TEST_F(SplitCodegenRoute, RunsAsOneIfTheFrontEndFailsForAnotherReasonThanTheSource) {
  on("both gfx906", [](Ran& run) { run.fail("what\n", 139); });
  EXPECT_THAT(compile().asked, Contains("device gfx906"));
  EXPECT_THAT(logged(), HasSubstr("the front end failed; it runs as one"));
  EXPECT_EQ(counted().front.run, 0u);
  EXPECT_EQ(counted().miss, 1u);
}

TEST_F(SplitCodegenRoute, RunsAsOneIfALaterPartCannotStartOrFails) {
  compile();
  for (const char* part : {"front gfx906", "back gfx906"}) {
    on_all_as_usual();
    on("front gfx906", [](Ran& run) { run.replace(".bc", "other bitcode"); });
    for (const bool starts : {false, true}) {
      edit_source();
      on(part, [=](Ran& run) {
        run.fail("", 139);
        if (!starts) run.report.spawn_error = "no memory";
      });
      EXPECT_EQ(compile().asked.back(), "device gfx906") << part;
    }
  }
  EXPECT_THAT(logged(), HasSubstr("front end: it failed; it runs as one"));
}

TEST_F(SplitCodegenRoute, GivesTheErrorOfTheSourceWithoutASecondRun) {
  const std::string error = "a.hip:1:1: error: no\n1 error generated when compiling for gfx906.\n";
  on("both gfx906", [&](Ran& run) { run.fail(error); });
  const Reply first = compile();
  EXPECT_THAT(first.asked, Not(Contains("device gfx906")));
  EXPECT_EQ(first.finish().stderr_text, error);
  on("both gfx906", takes_seconds);
  compile();
  edit_source();
  on("front gfx906", [&](Ran& run) { run.fail(error); });
  const Reply later = compile();
  EXPECT_THAT(later.asked, ElementsAre("front gfx906", "host"));
  EXPECT_EQ(later.finish().exit_code, 1);
  EXPECT_EQ(counted().failed_compiles, 2u);
}

TEST_F(SplitCodegenRoute, DoesNotStoreTheStepIfOnePartCannotBeStored) {
  on("both gfx906", [](Ran& run) {
    takes_seconds(run);
    run.traces.erase(".trace.then");
  });
  EXPECT_EQ(compile().finish().exit_code, 0);
  EXPECT_EQ(counted().not_stored, (std::map<std::string, std::uint64_t>{{"untraceable-compiler", 1}}));
  EXPECT_THAT(compile().asked, ElementsAre("front gfx906", "back gfx906"));
}

TEST_F(SplitCodegenRoute, IsNotUsedWithoutAProof) {
  on("split proof gfx906", [](Ran& run) { run.replace("in-two.o", "another object"); });
  EXPECT_THAT(compile().asked, Contains("device gfx906"));
  EXPECT_THAT(logged(), HasSubstr("the compiler makes something else in two processes"));
  edit_source();
  EXPECT_THAT(compile().asked, ElementsAre("device gfx906", "host")) << "the proof is not tried again";
}

TEST_F(SplitCodegenRoute, IsNotUsedIfTheProofFails) {
  on("split proof gfx906", [](Ran& run) { run.fail("error: no\n"); });
  EXPECT_THAT(compile().asked, Contains("device gfx906"));
  EXPECT_THAT(logged(), HasSubstr("the proof does not compile: error: no"));
}

TEST_F(SplitCodegenRoute, IsNotUsedIfTheProofCannotBeStored) {
  on("split proof gfx906", [](Ran& run) { run.traces.clear(); });
  EXPECT_THAT(compile().asked, Contains("device gfx906"));
  EXPECT_THAT(logged(), HasSubstr("the proof cannot be stored: untraceable-compiler"));
}

TEST_F(SplitCodegenRoute, RunsTheStepAsOneAsWellIfItIsAudited) {
  set("HIPCACHE_AUDIT", "1");
  EXPECT_THAT(compile().asked, Contains("device gfx906"));
  EXPECT_EQ(counted().audit.run, 1u);
  EXPECT_EQ(counted().errors, 0u);
}

TEST_F(SplitCodegenRoute, IsGivenUpByAnAuditThatFindsOtherCode) {
  set("HIPCACHE_AUDIT", "1");
  on("device gfx906", [](Ran& run) { run.replace(".out", "other code"); });
  EXPECT_EQ(compile().finish().exit_code, 0);
  EXPECT_EQ(counted().audit.run, 1u);
  EXPECT_EQ(counted().errors, 1u);
  EXPECT_THAT(logged(), HasSubstr("makes something else of this source in two processes"));
  edit_source();
  const Reply later = compile();
  EXPECT_THAT(later.asked, Contains("device gfx906"));
  EXPECT_THAT(later.asked, Not(Contains("front gfx906")));
}

}  // namespace
}  // namespace hipcache::daemon
