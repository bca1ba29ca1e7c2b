// Wrappers run each time, whatever they do beside starting the compiler. What the compilers do that they start is
// cached as if it had been typed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/staleness/support/wrappers.h"

namespace hipcache::integration {
namespace {

using testing::HasSubstr;

class WrappersThatDoMore : public Wrappers {};

TEST_P(WrappersThatDoMore, ThatSetAVariableGoByArchitecture) {
  expect_by_architecture(write_script("#!/bin/sh\nCPATH=/tmp\nexport CPATH\nexec " + driver() + " \"$@\"\n"));
}

TEST_P(WrappersThatDoMore, ThatClearTheEnvironmentGoByArchitecture) {
  expect_by_architecture(
      write_script("#!/bin/sh\nexec env -i PATH=\"$PATH\" " + cache_variables() + " " + driver() + " \"$@\"\n"));
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

TEST_P(WrappersThatDoMore, ThatChangeTheMaskOfModesGoByArchitecture) { expect_by_architecture(build("umask(077);")); }

TEST_P(WrappersThatDoMore, ThatDropAWordGoByArchitecture) {
  expect_by_architecture(write_script("#!/bin/bash\nexec " + driver() + " \"${@/-O1/-O2}\"\n"));
}

TEST_P(WrappersThatDoMore, ThatPrintSomethingPrintItEachTime) {
  const std::string wrapper = write_script("#!/bin/sh\necho compiling >&2\necho now\nexec " + driver() + " \"$@\"\n");
  for (int time = 0; time < 2; ++time) {
    const Ended ended = cache_.run(by(wrapper), project_.path());
    EXPECT_EQ(ended.out, "now\n");
    EXPECT_EQ(ended.err, "compiling\n");
  }
  EXPECT_EQ(cache_.counts().hits, 1);
}

TEST_P(WrappersThatDoMore, ThatFilterWhatIsPrintedGoByArchitecture) {
  expect_by_architecture(write_script("#!/bin/bash\nexec " + driver() +
                                      " \"$@\" 2> >(while read -r line; do echo \"$line\" >&2; done)\n"));
}

TEST_P(WrappersThatDoMore, ThatWorkAfterwardsGoByArchitecture) {
  expect_by_architecture(
      write_script("#!/bin/sh\n" + driver() + " \"$@\" || exit 1\nif [ -f a.o ]; then echo >> a.o; fi\n"));
}

TEST_P(WrappersThatDoMore, ThatWriteElsewhereWriteEachTime) {
  const std::string log = project_ / "log";
  const std::string wrapper = write_script("#!/bin/sh\necho compiled >> " + log + "\nexec " + driver() + " \"$@\"\n");
  for (int time = 0; time < 2; ++time) EXPECT_EQ(cache_.run(by(wrapper), project_.path()).exit_code, 0);
  EXPECT_EQ(support::read_bytes(log), "compiled\ncompiled\n");
  EXPECT_EQ(cache_.counts().hits, 1);
}

TEST_P(WrappersThatDoMore, ThatTakeAWordByChanceCompileEachTime) {
  write_kernel(project_, "a.hip", "#ifdef CHANCE\n#endif\n");
  for (const char* chance : {"$RANDOM$RANDOM$RANDOM", "$$", "$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')"}) {
    const std::string wrapper =
        write_script("#!/bin/bash\nexec " + driver() + " -DCHANCE=" + chance + " \"$@\"\n", "bin/clang++");
    const Counts before = cache_.counts();
    for (int time = 0; time < 2; ++time) EXPECT_EQ(cache_.run(by(wrapper), project_.path()).exit_code, 0);
    EXPECT_EQ((cache_.counts() - before).hits, 0) << chance;
  }
}

TEST_P(WrappersThatDoMore, ThatTakeTheTimeCompileEachTime) {
  write_kernel(project_, "a.hip", "#ifdef NOW\n#endif\n");
  for (const char* now :
       {"$(date +%s%N)", "${EPOCHREALTIME/./}", "$(perl -MTime::HiRes=time -e 'print int(1e6*time)')"}) {
    const std::string wrapper = write_script("#!/bin/bash\nexec " + driver() + " -DNOW=" + now + " \"$@\"\n");
    const Counts before = cache_.counts();
    for (int time = 0; time < 2; ++time) EXPECT_EQ(cache_.run(by(wrapper), project_.path()).exit_code, 0);
    EXPECT_EQ((cache_.counts() - before).hits, 0) << now;
  }
}

TEST_P(WrappersThatDoMore, ThatDoOtherwiseWhereJobsAreAskedForGoByArchitecture) {
  expect_by_architecture(write_script("#!/bin/sh\ncase \"$*\" in *'-###'*) exit 3 ;; *) more=-DMORE ;; esac\nexec " +
                                      driver() + " $more \"$@\"\n"));
}

TEST_P(WrappersThatDoMore, ThatGoToAnotherDirectoryGoByArchitecture) {
  expect_by_architecture(write_script("#!/bin/sh\ncd ../\"$(basename \"$PWD\")\" && exec " + driver() + " \"$@\"\n"));
}

TEST_P(WrappersThatDoMore, ThatAskTheDriverFirstGoByArchitecture) {
  expect_by_architecture(
      write_script("#!/bin/sh\n" + driver() + " --version >/dev/null\nexec " + driver() + " \"$@\"\n"));
}

TEST_P(WrappersThatDoMore, ThatCompileTwiceAreTwoRequests) {
  const std::string wrapper =
      write_script("#!/bin/sh\n" + driver() + " -fwrapv \"$@\" && exec " + driver() + " \"$@\"\n");
  for (int time = 0; time < 2; ++time) EXPECT_EQ(cache_.run(by(wrapper), project_.path()).exit_code, 0);
  EXPECT_EQ(cache_.counts().misses, 2);
  EXPECT_EQ(cache_.counts().hits, 2);
}

TEST_P(WrappersThatDoMore, BehindAnotherWrapperGoByArchitecture) {
  const std::string inner = write_script("#!/bin/sh\nexec " + driver() + " -DINNER \"$@\"\n", "inner/clang++");
  expect_by_architecture(write_script("#!/bin/bash\nexec " + inner + " -DOUTER \"$@\"\n"));
}

TEST_P(WrappersThatDoMore, OfPythonGoByArchitecture) {
  expect_by_architecture(
      write_script("#!/usr/bin/python3\nimport importlib, os, platform, sys\nfrom pathlib import Path\n"
                   "if platform.system() != 'Linux': sys.exit(1)\n"
                   "os.execv('" +
                   driver() + "', ['" + driver() + "', *sys.argv[1:]])\n"));
}

TEST_P(WrappersThatDoMore, OfPythonThatWaitGoByArchitecture) {
  expect_by_architecture(
      write_script("#!/usr/bin/python3\nimport subprocess, sys\n"
                   "sys.exit(subprocess.run(['" +
                   driver() + "', *sys.argv[1:]]).returncode)\n"));
}

TEST_P(WrappersThatDoMore, OfPerlGoByArchitecture) {
  expect_by_architecture(write_script("#!/usr/bin/perl\nexec('" + driver() + "', @ARGV);\n"));
  expect_by_architecture(
      write_script("#!/usr/bin/perl\nsystem('" + driver() + " ' . join(' ', '-fwrapv', @ARGV));\nexit($? >> 8);\n",
                   "other/clang++"));
}

// As in TheRock: the stub in the compiler's place runs the cache itself.
TEST_P(WrappersThatDoMore, ThatRunHipcacheThemselvesAreOneRequest) {
  const std::string wrapper = write_script("#!/bin/sh\nexec " + hipcache_program() + " " + driver() + " \"$@\"\n");
  EXPECT_EQ(cache_.run(by(wrapper), project_.path()).exit_code, 0);
  EXPECT_EQ(cache_.run(by(wrapper), project_.path()).exit_code, 0);
  const Counts counts = cache_.counts();
  EXPECT_EQ(counts.misses, 1) << counts.json.dump();
  EXPECT_EQ(counts.hits, 1) << counts.json.dump();
  EXPECT_EQ(counts.json["compile_requests"], 2);
  EXPECT_EQ(counts.json["wrappers"], 2);
}

TEST_P(WrappersThatDoMore, AreExplainedByTheCompilerThatTheyStart) {
  const std::string wrapper = write_script("#!/bin/sh\nexec " + driver() + " -DX \"$@\"\n");
  check(by(wrapper));
  const Ended explained =
      cache_.run(words("--explain --") + by(wrapper, {"gfx906", "gfx908", "gfx1030"}), project_.path());
  EXPECT_THAT(explained.out, HasSubstr("device gfx906   stored"));
  EXPECT_THAT(explained.out, HasSubstr("device gfx908   would run"));
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

INSTANTIATE_TEST_SUITE_P(Compilers, WrappersThatDoMore, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
