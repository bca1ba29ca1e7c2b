// The new offload driver, where a linker wrapper runs the devices' back ends.
#include "daemon/serve/scripted_client.h"

namespace hipcache::daemon {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Counts = std::map<std::string, std::uint64_t>;

class BackEndRoute : public RouteTest {
 protected:
  BackEndRoute() {
    argv_ = {"clang++", "-x", "hip", "--offload-new-driver", "--offload-arch=gfx906", "--offload-arch=gfx1030", "-c",
             "a.hip",   "-o", "a.o"};
    plan_ = plan_of("clang-22/new-driver");
    jobs_of_wrapper_ = plan_of("wrapper-22/new-driver");
    on("bundle", takes_answers);
  }

  // The wrapper starts the two programs whose results are there.
  static void takes_answers(Ran& run) {
    for (const char* file : {"one", "two"}) run.saw(trace::Kind::answer, run.in_directory(file));
  }
};

TEST_F(BackEndRoute, RunsEachBackEndAsAStep) {
  const Reply first = compile();
  EXPECT_THAT(first.asked, Contains("wrapper probe"));
  EXPECT_THAT(first.asked, Contains("back end gfx906"));
  EXPECT_THAT(first.asked, Contains("back end gfx1030"));
  EXPECT_EQ(first.finish().exit_code, 0);
  EXPECT_EQ(counted().bundled, Counts{});
  EXPECT_EQ(counted().probe.run, 2u) << "the driver's and the wrapper's";
  EXPECT_THAT(compile().asked, IsEmpty());
}

TEST_F(BackEndRoute, RunsTheBackEndsInTheBundleIfTheWrapperProbeFails) {
  on("wrapper probe", [](Ran& run) { run.fail("no\n", 1); });
  const Reply reply = compile();
  EXPECT_THAT(reply.asked, Not(Contains("back end gfx906")));
  EXPECT_EQ(reply.finish().exit_code, 0);
  EXPECT_EQ(counted().bundled, (Counts{{"wrapper-not-understood", 1}}));
  EXPECT_EQ(counted().bundled_detail["wrapper-not-understood"], "exit code 1");
}

TEST_F(BackEndRoute, RunsTheBackEndsInTheBundleIfTheWrapperIsNotUnderstood) {
  on("wrapper probe", [](Ran& run) { run.report.stdout_text = "hello\n"; });
  EXPECT_THAT(compile().asked, Not(Contains("back end gfx906")));
  EXPECT_EQ(counted().bundled_detail["wrapper-not-understood"], "it prints to its standard output");
  jobs_of_wrapper_ = "hello\n";
  write("a.hip", "another source\n");
  on("wrapper probe", [](Ran&) {});
  EXPECT_THAT(compile().asked, Not(Contains("back end gfx906")));
  EXPECT_EQ(counted().bundled, (Counts{{"wrapper-not-understood", 2}}));
}

TEST_F(BackEndRoute, RunsABackEndThatFailsInTheBundle) {
  on("back end gfx906", [](Ran& run) { run.fail("error: no\n"); });
  on("bundle", [](Ran& run) { run.saw(trace::Kind::answer, run.in_directory("one")); });
  const Reply reply = compile();
  EXPECT_EQ(reply.finish().exit_code, 0);
  EXPECT_EQ(reply.finish().stderr_text, "") << "the wrapper reports the error, if there is one";
  EXPECT_EQ(counted().bundled, (Counts{{"back-end-failed", 1}}));
  EXPECT_THAT(logged(), HasSubstr("it failed; it runs within the bundle"));
}

TEST_F(BackEndRoute, RunsABackEndThatPrintsToStandardOutputInTheBundle) {
  on("back end gfx906", [](Ran& run) { run.report.stdout_text = "hello\n"; });
  EXPECT_EQ(compile().finish().stdout_text, "");
  EXPECT_EQ(counted().bundled["back-end-failed"], 1u);
}

TEST_F(BackEndRoute, NotesThatTheWrapperStartsOtherJobsThanItHadSaid) {
  on("bundle", [](Ran&) {});
  EXPECT_EQ(compile().finish().exit_code, 0);
  EXPECT_EQ(counted().bundled, (Counts{{"not-as-announced", 1}}));
  EXPECT_THAT(logged(), HasSubstr("bundle ran 2 back ends again"));
}

}  // namespace
}  // namespace hipcache::daemon
