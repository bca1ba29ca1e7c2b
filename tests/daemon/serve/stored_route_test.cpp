// What is stored of a split compile, and how a later request uses, renews or audits it.
#include "daemon/serve/scripted_client.h"

namespace hipcache::daemon {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class StoredRoute : public RouteTest {};

TEST_F(StoredRoute, RunsOnlyTheStepWhoseInputChanged) {
  write("host.h", "one");
  on("host", [](Ran& run) { run.saw(trace::Kind::open_read, "host.h"); });
  compile();
  write("host.h", "two");
  EXPECT_THAT(compile().asked, ElementsAre("host"));
  EXPECT_EQ(counted().partial, 1u);
  write("host.h", "one");
  EXPECT_THAT(compile().asked, IsEmpty()) << "the first result is valid again";
  EXPECT_EQ(counted().hit, 1u);
}

TEST_F(StoredRoute, MakesTheObjectOfStoredStepsIfTheRequestItselfIsNotStored) {
  write("host.h", "one");
  const auto reads = [](Ran& run) { run.saw(trace::Kind::open_read, "host.h"); };
  on("host", reads);
  on("bundle", [](Ran& run) { run.traces.clear(); });
  const Reply first = compile();
  EXPECT_EQ(counted().not_stored["untraceable-compiler"], 1u);
  on_all_as_usual();
  const Reply second = compile();
  EXPECT_THAT(second.asked, ElementsAre("bundle"));
  EXPECT_EQ(second.outputs, first.outputs);
  EXPECT_EQ(counted().hit, 1u) << "a bundle compiles nothing";
}

TEST_F(StoredRoute, StoresNothingInAReadOnlyCache) {
  set("HIPCACHE_READONLY", "1");
  for (int times = 0; times < 2; ++times)
    EXPECT_THAT(compile().asked, ElementsAre("neutral probe", "device gfx906", "bundle", "host")) << "without a proof";
  EXPECT_THAT(made_.store.actions, IsEmpty());
  EXPECT_THAT(made_.store.blobs, IsEmpty());
  EXPECT_EQ(counted().miss, 2u);
}

TEST_F(StoredRoute, RunsAndStoresEverythingAgainIfTheCacheIsRenewed) {
  compile();
  set("HIPCACHE_RECACHE", "1");
  on("device gfx906", [](Ran& run) { run.replace(".out", "other code"); });
  EXPECT_THAT(compile().asked, ElementsAre("neutral probe", "device gfx906", "host", "bundle"));
  set("HIPCACHE_RECACHE", "0");
  EXPECT_THAT(compile().asked, IsEmpty());
  EXPECT_EQ(counted().miss, 2u);
}

TEST_F(StoredRoute, CompilesAgainIfTheStoreHasLostABlob) {
  const Reply first = compile();
  made_.store.blobs.clear();
  const Reply second = compile();
  EXPECT_EQ(second.outputs, first.outputs);
  EXPECT_THAT(second.asked, ElementsAre("fatbin proof", "device gfx906", "host", "bundle"))
      << "only texts of a plan are in no blob";
  EXPECT_EQ(counted().miss, 2u);
  EXPECT_EQ(counted().errors, 0u);
  EXPECT_THAT(compile().asked, IsEmpty());
}

TEST_F(StoredRoute, AnswersAlthoughTheStoreIsBroken) {
  on("device gfx906", [&](Ran&) { made_.store.broken = true; });
  const Reply reply = compile();
  EXPECT_EQ(reply.finish().exit_code, 0);
  EXPECT_TRUE(reply.outputs.contains("a.o"));
  EXPECT_GT(counted().errors, 0u);
  EXPECT_EQ(counted().not_stored["store-error"], 3u) << "device, host and bundle";
}

class AuditedRoute : public RouteTest {
 protected:
  AuditedRoute() {
    compile();
    set("HIPCACHE_AUDIT", "1");
  }
};

TEST_F(AuditedRoute, RunsAHitAgainAndFindsItEqual) {
  EXPECT_THAT(compile().asked, Contains("device gfx906"));
  EXPECT_EQ(counted().audited_hits.hits, 1u);
  EXPECT_EQ(counted().audited_hits.differences, 0u);
  set("HIPCACHE_AUDIT", "0");
  EXPECT_THAT(compile().asked, IsEmpty());
}

TEST_F(AuditedRoute, DropsAHitThatDiffersAndGivesWhatTheCompilerMadeNow) {
  on("bundle", [](Ran& run) { run.replace(".hipfb", "another fatbin"); });
  EXPECT_THAT(compile().outputs.at("a.o"), HasSubstr("another fatbin"));
  EXPECT_EQ(counted().audited_hits.differences, 1u);
  EXPECT_GT(counted().errors, 0u);
  EXPECT_THAT(logged(), HasSubstr("bundle: an audit found that the compiler makes something else now"));
  set("HIPCACHE_AUDIT", "0");
  EXPECT_THAT(compile().asked, ElementsAre("bundle")) << "the wrong entry is gone";
}

TEST_F(AuditedRoute, DropsAHitIfTheCompilerFailsNow) {
  on("device gfx906", [](Ran& run) { run.fail("a.hip: error: no\n1 error generated when compiling for gfx906.\n"); });
  EXPECT_EQ(compile().finish().exit_code, 1);
  EXPECT_EQ(counted().audited_hits.differences, 1u);
  EXPECT_THAT(logged(), HasSubstr("exit code (stored 0, now 1)"));
}

TEST_F(AuditedRoute, FindsNothingIfTheFailureMayBeTheCachesFault) {
  on("device gfx906", [](Ran& run) { run.fail("", 139); });
  EXPECT_EQ(compile().reason(), "step-failed");
  EXPECT_EQ(counted().audited_hits.differences, 0u);
  EXPECT_EQ(counted().audited_hits.void_audits, 1u);
}

TEST_F(AuditedRoute, IsVoidIfARunCannotBeCompared) {
  on("device gfx906", [](Ran& run) { run.saw(trace::Kind::clock, "localtime"); });
  EXPECT_EQ(compile().finish().exit_code, 0);
  EXPECT_EQ(counted().audited_hits.void_audits, 1u);
  EXPECT_EQ(counted().audited_hits.differences, 0u);
}

TEST_F(AuditedRoute, IsSkippedInAReadOnlyCache) {
  set("HIPCACHE_READONLY", "1");
  EXPECT_THAT(compile().asked, IsEmpty());
  EXPECT_EQ(counted().audited_hits.skipped, 1u);
  EXPECT_EQ(counted().hit, 1u);
}

}  // namespace
}  // namespace hipcache::daemon
