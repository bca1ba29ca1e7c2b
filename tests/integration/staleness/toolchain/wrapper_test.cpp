// Programs that become the real compiler. They are split by architecture like that compiler, and are inputs themselves.
#include <gtest/gtest.h>

#include "integration/staleness/support/wrappers.h"

namespace hipcache::integration {
namespace {

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
  check(by(project_ / "rocm/bin/clang++") + words("-cuid=mine"));
  const Counts behind = check(by(build("", {"-static"})) + words("-cuid=mine"));
  EXPECT_EQ(behind.run.at("device"), 0) << behind.json.dump();
}

// Words that the wrapper adds reach the driver as if they had been typed.
TEST_P(Wrappers, ThatAddWordsShareTheDeviceStepsOfTheSameWords) {
  const std::string wrapper = write_script("#!/bin/sh\nexec " + driver() + " -DTWICE=2 \"$@\"\n");
  check(by(wrapper) + words("-cuid=mine"));
  Arguments typed = by(driver()) + words("-cuid=mine");
  typed.insert(typed.begin() + 1, "-DTWICE=2");
  EXPECT_EQ(check(typed).run.at("device"), 0);
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

TEST_P(Wrappers, AreAskedForTheirText) {
  const std::string wrapper = write_script("#!/bin/sh\nexec " + driver() + " \"$@\"\n");
  project_.write("a.hip", support::read_bytes(project_ / "a.hip") + "\n#ifdef MORE\n__device__ int more;\n#endif\n");
  warm(by(wrapper));
  write_script("#!/bin/sh\nexec " + driver() + " -DMORE \"$@\"\n");
  EXPECT_EQ(check(by(wrapper)).run.at("device"), 2);
}

TEST_P(Wrappers, AreAskedForTheirConfiguration) {
  project_.write("bin/flags", "-fwrapv\n");
  const std::string wrapper =
      write_script("#!/bin/sh\nread -r flags < \"$(dirname \"$0\")/flags\"\nexec " + driver() + " $flags \"$@\"\n");
  expect_by_architecture(wrapper);
  project_.write("bin/flags", "-fno-builtin\n");
  EXPECT_EQ(check(by(wrapper)).run.at("device"), 2);
}

TEST_P(Wrappers, AreAskedForTheVariablesThatTheyRead) {
  const std::string wrapper = write_script("#!/bin/sh\nexec " + driver() + " $MORE_FLAGS \"$@\"\n");
  warm(by(wrapper));
  EXPECT_EQ(check(by(wrapper), {{"MORE_FLAGS", "-fwrapv"}}).run.at("device"), 2);
  EXPECT_EQ(check(by(wrapper)).hits, 1);
}

TEST_P(Wrappers, OfAStaticProgramAreAskedForItsBytes) {
  const std::string wrapper = build("", {"-static"});
  warm(by(wrapper));
  build("if (getenv(\"NEVER\")) return 2;", {"-static"});
  EXPECT_EQ(check(by(wrapper)).run.at("probe"), 3) << "by neutral names, by its own, and through it";
}

TEST_P(Wrappers, OfAStaticProgramAreAskedForTheDriverBesideIt) {
  const Toolchain one(GetParam()), other(GetParam());
  other.append_byte("bin/clang");
  project_.link("rocm/bin/clang++", one / "bin/clang++");
  Arguments argv = Toolchain::compile_by(build("", {"-static"}), "-O1 -B" + GetParam().tools());
  warm(argv);
  project_.link("rocm/bin/clang++", other / "bin/clang++");
  EXPECT_EQ(check(argv).run.at("device"), 2);
  project_.link("rocm/bin/clang++", one / "bin/clang++");
  expect_hit(argv);
}

// The driver says that an option goes unused, as --offload-jobs= with some versions.
TEST_P(Wrappers, OfAStaticProgramAreSplitIfTheDriverWarns) {
  Arguments argv = Toolchain::compile_by(build("", {"-static"}), "-O1 -B" + GetParam().tools() + " -lunused");
  EXPECT_EQ(check(argv).run.at("device"), 2);
  expect_hit(argv);
  const Ended hit = cache_.run(argv, project_.path());
  EXPECT_NE(hit.err.find("unused"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Compilers, Wrappers, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
