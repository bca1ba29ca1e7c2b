// Wrappers that do more than become the real compiler: their compiles are opaque.
#include <gtest/gtest.h>

#include "integration/staleness/support/wrappers.h"

namespace hipcache::integration {
namespace {

class WrappersThatDoMore : public Wrappers {};

TEST_P(WrappersThatDoMore, ThatSetAVariableStayOpaque) {
  expect_kept_opaque(write_script("#!/bin/sh\nCPATH=/tmp\nexport CPATH\nexec " + driver() + " \"$@\"\n"));
}

TEST_P(WrappersThatDoMore, OfAStaticProgramThatSetsAVariableStayOpaque) {
  expect_kept_opaque(build("putenv(\"CPATH=/tmp\");", {"-static"}), false);
}

TEST_P(WrappersThatDoMore, OfAStaticProgramThatAddsAWordStayOpaque) {
  expect_kept_opaque(build("char* more[argc + 2]; memcpy(more, argv, sizeof *argv * argc); more[argc] = \"-DX\";"
                           "more[argc + 1] = NULL; argv = more;",
                           {"-static"}),
                     false);
}

TEST_P(WrappersThatDoMore, OfAStaticProgramThatFindsItsDriverElsewhereStayOpaque) {
  expect_kept_opaque(build("strcpy(path, \"" + driver() + "\");", {"-static"}), false);
}

TEST_P(WrappersThatDoMore, ThatChangeTheMaskOfModesStayOpaque) { expect_kept_opaque(build("umask(077);"), false); }

TEST_P(WrappersThatDoMore, ThatDropAWordStayOpaque) {
  expect_kept_opaque(write_script("#!/bin/bash\nexec " + driver() + " \"${@/-O1/-O2}\"\n"));
}

TEST_P(WrappersThatDoMore, ThatPrintSomethingStayOpaque) {
  expect_kept_opaque(write_script("#!/bin/sh\necho compiling >&2\nexec " + driver() + " \"$@\"\n"));
  expect_kept_opaque(write_script("#!/bin/sh\necho compiling\nexec " + driver() + " \"$@\"\n", "other/clang++"));
}

TEST_P(WrappersThatDoMore, ThatFilterWhatIsPrintedStayOpaque) {
  expect_kept_opaque(
      write_script("#!/bin/bash\nexec " + driver() + " \"$@\" 2> >(while read -r line; do echo \"$line\" >&2; done)\n"),
      false);
}

TEST_P(WrappersThatDoMore, ThatWorkAfterwardsStayOpaque) {
  expect_kept_opaque(
      write_script("#!/bin/sh\n" + driver() + " \"$@\" || exit 1\nif [ -f a.o ]; then echo >> a.o; fi\n"));
}

TEST_P(WrappersThatDoMore, ThatWriteElsewhereStayOpaque) {
  const std::string log = project_ / "log";
  expect_kept_opaque(write_script("#!/bin/sh\necho compiled >> " + log + "\nexec " + driver() + " \"$@\"\n"), false);
}

TEST_P(WrappersThatDoMore, ThatTakeAWordByChanceStayOpaque) {
  const std::string wrapper =
      write_script("#!/bin/bash\nexec " + driver() + " -DCHANCE=$RANDOM$RANDOM$RANDOM \"$@\"\n");
  for (int time = 0; time < 2; ++time) EXPECT_EQ(cache_.run(by(wrapper), project_.path()).exit_code, 0);
  EXPECT_EQ(cache_.counts().run.at("device"), 0);
}

TEST_P(WrappersThatDoMore, ThatTakeTheDateStayOpaque) {
  const std::string wrapper = write_script("#!/bin/sh\nexec " + driver() + " -DNOW=$(date +%s) \"$@\"\n");
  for (int time = 0; time < 2; ++time) EXPECT_EQ(cache_.run(by(wrapper), project_.path()).exit_code, 0);
  EXPECT_EQ(cache_.counts().run.at("device"), 0);
}

TEST_P(WrappersThatDoMore, ThatDoOtherwiseWhereJobsAreAskedForStayOpaque) {
  expect_kept_opaque(write_script("#!/bin/sh\ncase \"$*\" in *'-###'*) more= ;; *) more=-DMORE ;; esac\nexec " +
                                  driver() + " $more \"$@\"\n"));
}

TEST_P(WrappersThatDoMore, ThatGoToAnotherDirectoryStayOpaque) {
  const Counts cold =
      check(by(write_script("#!/bin/sh\ncd ../\"$(basename \"$PWD\")\" && exec " + driver() + " \"$@\"\n")));
  EXPECT_GE(cold.run.at("device") + cold.run.at("host"), 1);
}

TEST_P(WrappersThatDoMore, ThatRunTwoDriversStayOpaque) {
  expect_kept_opaque(write_script("#!/bin/sh\n" + driver() + " --version >/dev/null\nexec " + driver() + " \"$@\"\n"));
}

// ccache compiles through its own cache, under any name.
TEST_P(WrappersThatDoMore, OfAnotherCacheAreLeftToIt) {
  project_.link("bin/" + GetParam().program(), "/usr/bin/ccache");
  const Variables ccache{{"CCACHE_DIR", project_ / "ccache"}, {"CCACHE_DISABLE", "1"}};
  Arguments argv = by(project_ / "bin/" + GetParam().program());
  const Ended ended = cache_.run(argv, project_.path(), ccache);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(cache_.counts().run.at("device"), 0);
  EXPECT_EQ(cache_.counts().reasons["not-a-compiler"], 1) << cache_.counts().json.dump();
}

INSTANTIATE_TEST_SUITE_P(Compilers, WrappersThatDoMore, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
