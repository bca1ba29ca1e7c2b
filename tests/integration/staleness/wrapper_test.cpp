// Programs that start the real compiler: taken apart where all that they do is to become the driver, whole where they
// do anything else, and asked about as inputs.
#include <gtest/gtest.h>

#include <filesystem>

#include "integration/staleness/staleness.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

// As amdclang++ of ROCm: executes what is beside it and called as itself less "amd".
constexpr const char* kStandIn = R"(#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char** argv) {
  char path[4096];
  const char* slash = strrchr(argv[0], '/');
  if (argc < 1 || slash == NULL) return 1;
  snprintf(path, sizeof path, "%.*s%s", (int)(slash - argv[0] + 1), argv[0], slash + 1 + strlen("amd"));
  argv[0] = path;
  BEFORE
  execv(path, argv);
  return 127;
}
)";

class Wrappers : public Staleness {
 protected:
  Wrappers() { project_.link("rocm/bin/clang++", driver()); }

  std::string driver() const { return "/usr/bin/" + GetParam().program(); }

  std::string write_script(const std::string& text, const std::string& name = "bin/clang++") const {
    const std::string path = project_.write(name, text);
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }

  // A program of C beside the link to the driver.
  std::string build(const std::string& before, const Arguments& flags = {}, const std::string& source = kStandIn) const {
    std::string text = source;
    text.replace(text.find("BEFORE"), 6, before);
    project_.write("stand-in.c", "#include <stdlib.h>\n#include <time.h>\n#include <sys/stat.h>\n#include <fcntl.h>\n#include <sys/wait.h>\n" + text);
    const std::string program = project_ / "rocm/bin/amdclang++";
    EXPECT_EQ(run(Arguments{"cc", "stand-in.c", "-o", program} + flags, project_.path()).exit_code, 0);
    return program;
  }

  Arguments by(const std::string& wrapper, const std::vector<std::string>& gpus = {"gfx906", "gfx1030"}) const {
    Arguments argv = GetParam().hip() + archs(gpus) + words("-O1 -c a.hip -o a.o");
    argv[0] = wrapper;
    return argv;
  }

  // Cold, warm, and with an architecture more.
  void expect_by_architecture(const std::string& wrapper) {
    const Counts cold = check(by(wrapper));
    EXPECT_EQ(cold.run.at("device"), 2) << cold.json.dump();
    EXPECT_EQ(check(by(wrapper)).hits, 1);
    const Counts added = check(by(wrapper, {"gfx906", "gfx908", "gfx1030"}));
    EXPECT_EQ(added.run.at("device"), 1) << added.json.dump();
    EXPECT_EQ(added.run.at("host"), 0);
    EXPECT_TRUE(cold.not_stored.empty() && added.not_stored.empty()) << added.json.dump();
  }

  // One step, whose result is found again or, where a wrapper does what no cache repeats, is not.
  void expect_kept_whole(const std::string& wrapper, bool is_stored = true) {
    const Counts cold = check(by(wrapper));
    EXPECT_EQ(cold.run.at("device"), 0) << cold.json.dump();
    EXPECT_EQ(cold.run.at("host"), 1) << cold.json.dump();
    const Counts again = check(by(wrapper));
    EXPECT_EQ(again.hits, is_stored ? 1 : 0) << again.json.dump();
    EXPECT_EQ(again.run.at("device"), 0);
  }
};

TEST_P(Wrappers, OfAStaticProgramThatExecutesItsNeighbourGoByArchitecture) {
  expect_by_architecture(build("", {"-static"}));
}

TEST_P(Wrappers, OfADynamicProgramThatExecutesItsNeighbourGoByArchitecture) { expect_by_architecture(build("")); }

TEST_P(Wrappers, ThatAreShellScriptsGoByArchitecture) {
  expect_by_architecture(write_script("#!/bin/sh\nexec " + driver() + " -DX \"$@\" -Wall\n"));
}

TEST_P(Wrappers, ThatAreLinksAreTheDriver) {
  project_.link("alternatives/clang++", driver());
  project_.link("bin/clang++", project_ / "alternatives/clang++");
  expect_by_architecture(project_ / "bin/clang++");
}

TEST_P(Wrappers, ShareTheirDeviceStepsWithTheDriver) {
  check(by(project_ / "rocm/bin/clang++"));
  const Counts behind = check(by(build("", {"-static"})));
  EXPECT_EQ(behind.run.at("device"), 0) << behind.json.dump();
}

// What the wrapper adds is the driver's: the same as if it had been typed.
TEST_P(Wrappers, ThatAddWordsShareTheDeviceStepsOfTheSameWords) {
  const std::string wrapper = write_script("#!/bin/sh\nexec " + driver() + " -DTWICE=2 \"$@\"\n");
  check(by(wrapper));
  Arguments typed = by(driver());
  typed.insert(typed.begin() + 1, "-DTWICE=2");
  EXPECT_EQ(check(typed).run.at("device"), 0);
}

// What they do besides.

TEST_P(Wrappers, ThatSetAVariableStayWhole) {
  expect_kept_whole(write_script("#!/bin/sh\nCPATH=/tmp\nexport CPATH\nexec " + driver() + " \"$@\"\n"));
}

TEST_P(Wrappers, OfAStaticProgramThatSetsAVariableStayWhole) {
  expect_kept_whole(build("putenv(\"CPATH=/tmp\");", {"-static"}), false);
}

TEST_P(Wrappers, OfAStaticProgramThatAddsAWordStayWhole) {
  expect_kept_whole(build("char* more[argc + 2]; memcpy(more, argv, sizeof *argv * argc); more[argc] = \"-DX\";"
                          "more[argc + 1] = NULL; argv = more;",
                          {"-static"}),
                    false);
}

TEST_P(Wrappers, OfAStaticProgramThatFindsItsDriverElsewhereStayWhole) {
  expect_kept_whole(build("strcpy(path, \"" + driver() + "\");", {"-static"}), false);
}

TEST_P(Wrappers, ThatChangeTheMaskOfModesStayWhole) { expect_kept_whole(build("umask(077);"), false); }

TEST_P(Wrappers, ThatDropAWordStayWhole) {
  expect_kept_whole(write_script("#!/bin/bash\nexec " + driver() + " \"${@/-O1/-O2}\"\n"));
}

TEST_P(Wrappers, ThatPrintSomethingStayWhole) {
  expect_kept_whole(write_script("#!/bin/sh\necho compiling >&2\nexec " + driver() + " \"$@\"\n"));
  expect_kept_whole(write_script("#!/bin/sh\necho compiling\nexec " + driver() + " \"$@\"\n", "other/clang++"));
}

TEST_P(Wrappers, ThatFilterWhatIsPrintedStayWhole) {
  expect_kept_whole(write_script("#!/bin/bash\nexec " + driver() +
                                 " \"$@\" 2> >(while read -r line; do echo \"$line\" >&2; done)\n"));
}

TEST_P(Wrappers, ThatWorkAfterwardsStayWhole) {
  expect_kept_whole(write_script("#!/bin/sh\n" + driver() + " \"$@\" || exit 1\nif [ -f a.o ]; then echo >> a.o; fi\n"));
}

TEST_P(Wrappers, ThatWriteElsewhereStayWhole) {
  const std::string log = project_ / "log";
  expect_kept_whole(write_script("#!/bin/sh\necho compiled >> " + log + "\nexec " + driver() + " \"$@\"\n"), false);
}

TEST_P(Wrappers, ThatTakeAWordByChanceStayWhole) {
  const std::string wrapper = write_script("#!/bin/bash\nexec " + driver() + " -DCHANCE=$RANDOM$RANDOM$RANDOM \"$@\"\n");
  const Counts cold = check(by(wrapper));
  EXPECT_EQ(cold.run.at("device"), 0) << cold.json.dump();
}

TEST_P(Wrappers, ThatTakeTheDateStayWhole) {
  const std::string wrapper = write_script("#!/bin/sh\nexec " + driver() + " -DNOW=$(date +%s) \"$@\"\n");
  EXPECT_EQ(check(by(wrapper)).run.at("device"), 0);
}

TEST_P(Wrappers, ThatDoOtherwiseWhereJobsAreAskedForStayWhole) {
  expect_kept_whole(write_script("#!/bin/sh\ncase \"$*\" in *'-###'*) more= ;; *) more=-DMORE ;; esac\nexec " + driver() +
                                 " $more \"$@\"\n"));
}

TEST_P(Wrappers, ThatGoToAnotherDirectoryStayWhole) {
  const Counts cold = check(by(write_script("#!/bin/sh\ncd ../\"$(basename \"$PWD\")\" && exec " + driver() + " \"$@\"\n")));
  EXPECT_GE(cold.run.at("device") + cold.run.at("host"), 1);
}

TEST_P(Wrappers, ThatRunTwoDriversStayWhole) {
  expect_kept_whole(write_script("#!/bin/sh\n" + driver() + " --version >/dev/null\nexec " + driver() + " \"$@\"\n"));
}

TEST_P(Wrappers, ThatEndHalfWayEndSo) {
  const std::string wrapper = write_script("#!/bin/sh\nkill -TERM $$\n");
  const Ended ended = cache_.run(by(wrapper), project_.path());
  EXPECT_NE(ended.exit_code, 0);
  EXPECT_FALSE(support::exists(project_ / "a.o"));
}

TEST_P(Wrappers, ThatFailAsTheDriverDoesSayWhatItSays) {
  const std::string wrapper = build("", {"-static"});
  project_.write("a.hip", "#error no\n");
  oracle_.check(by(wrapper));
  EXPECT_NE(oracle_.exit_code(), 0);
}

// Everything that they are made of is an input.

TEST_P(Wrappers, AreAskedForTheirText) {
  const std::string wrapper = write_script("#!/bin/sh\nexec " + driver() + " \"$@\"\n");
  project_.write("a.hip", support::read_bytes(project_ / "a.hip") + "\n#ifdef MORE\n__device__ int more;\n#endif\n");
  warm(by(wrapper));
  write_script("#!/bin/sh\nexec " + driver() + " -DMORE \"$@\"\n");
  EXPECT_EQ(check(by(wrapper)).run.at("device"), 2);
}

TEST_P(Wrappers, AreAskedForTheirConfiguration) {
  project_.write("bin/flags", "-DONE\n");
  const std::string wrapper = write_script("#!/bin/sh\nread -r flags < \"$(dirname \"$0\")/flags\"\nexec " + driver() +
                                           " $flags \"$@\"\n");
  expect_by_architecture(wrapper);
  project_.write("bin/flags", "-DTWO\n");
  EXPECT_EQ(check(by(wrapper)).run.at("device"), 2);
}

TEST_P(Wrappers, AreAskedForTheVariablesThatTheyRead) {
  const std::string wrapper = write_script("#!/bin/sh\nexec " + driver() + " $MORE_FLAGS \"$@\"\n");
  warm(by(wrapper));
  EXPECT_EQ(check(by(wrapper), {{"MORE_FLAGS", "-DMORE"}}).run.at("device"), 2);
  EXPECT_EQ(check(by(wrapper)).hits, 1);
}

TEST_P(Wrappers, OfAStaticProgramAreAskedForItsBytes) {
  const std::string wrapper = build("", {"-static"});
  warm(by(wrapper));
  build("if (getenv(\"NEVER\")) return 2;", {"-static"});
  EXPECT_EQ(check(by(wrapper)).run.at("probe"), 2);
}

TEST_P(Wrappers, OfAStaticProgramAreAskedForTheDriverBesideIt) {
  const std::string wrapper = build("", {"-static"});
  warm(by(wrapper));
  project_.link("rocm/bin/clang++", "/usr/bin/clang++-" + std::string(clang15() ? "19" : "15"));
  Arguments argv = by(wrapper);
  const Counts other = check(argv);
  EXPECT_EQ(other.run.at("device"), 2) << other.json.dump();
}

INSTANTIATE_TEST_SUITE_P(Compilers, Wrappers, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
