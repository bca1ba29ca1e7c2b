#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hipcache/compiler/hip/plan.h"

namespace hipcache::hip {
namespace {

using ::testing::ElementsAre;

compiler::Invocation typed(std::vector<std::string> argv) {
  compiler::Invocation invocation;
  invocation.argv = std::move(argv);
  return invocation;
}

TEST(Probe, AsksTheUsersOwnCommandForItsJobs) {
  EXPECT_THAT(probe_arguments(typed({"clang++", "@args", "-c", "a.hip"}), "17"),
              ElementsAre("clang++", "@args", "-c", "a.hip", "-cuid=17", "-###"));
}

TEST(Probe, LeavesACuidOfTheUsersAlone) {
  compiler::Invocation invocation = typed({"clang++", "-cuid=x", "-c", "a.hip"});
  invocation.driver.user_cuid = true;
  EXPECT_THAT(probe_arguments(invocation, "17"), ElementsAre("clang++", "-cuid=x", "-c", "a.hip", "-###"));
}

TEST(Probe, GivesTheIdToTheFrontendsOfADriverThatIgnoresIt) {
  EXPECT_THAT(probe_arguments(typed({"clang++", "-c", "a.hip"}), "17", IdFor::frontends),
              ElementsAre("clang++", "-c", "a.hip", "-Xclang", "-cuid=17", "-###"));
}

TEST(Probe, PutsItsOptionsBeforeTheFilesOfADoubleDash) {
  EXPECT_THAT(probe_arguments(typed({"clang++", "-c", "--", "a.hip"}), "17"),
              ElementsAre("clang++", "-c", "-cuid=17", "-###", "--", "a.hip"));
}

TEST(InDirectory, ReplacesTheTokenWhereverItStands) {
  const std::string token = kDirectory;
  EXPECT_THAT(in_directory({"x", token + "/a", "-i=" + token + "/b," + token + "/c", ""}, "/d"),
              ElementsAre("x", "/d/a", "-i=/d/b,/d/c", ""));
}

TEST(InDirectory, DoesNotReplaceWithinWhatItPutThere) {
  const std::string token = kDirectory;
  EXPECT_THAT(in_directory({token + "/a"}, "/" + token), ElementsAre("/" + token + "/a"));
}

}  // namespace
}  // namespace hipcache::hip
