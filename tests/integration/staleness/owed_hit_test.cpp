// Changes that do not matter must give a hit.
#include <gtest/gtest.h>

#include <filesystem>

#include "integration/staleness/support/staleness.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

class OwedHit : public Staleness {
 protected:
  Arguments for_archs(const Arguments& archs) const { return GetParam().hip() + archs + words("-O1 -c a.hip -o a.o"); }

  // Makes a build directory as CMake does, and compiles in it.
  Counts build_in(const std::string& directory, const std::string& flags) {
    project_.write(directory + "/CMakeCache.txt", "");
    const Counts counted = Oracle(cache_, project_ / directory)
                               .check(GetParam().hip() + archs({"gfx906"}) + words(flags + " -MD -MF a.o.d -MT a.o") +
                                      Arguments{"-I" + (project_ / "include"), "-c", project_ / "a.hip", "-o", "a.o"});
    EXPECT_TRUE(support::exists(project_ / (directory + "/a.o")));
    return counted;
  }

  static std::int64_t steps_run(const Counts& counted) {
    return counted.run.at("device") + counted.run.at("bundle") + counted.run.at("host");
  }
};

TEST_P(OwedHit, ADeviceLibraryTouchedRewrittenOrInstalledAnew) {
  const std::string bitcode = copy_bitcode("bitcode");
  const Arguments argv = with_bitcode(bitcode);
  warm(argv);
  fs::last_write_time(bitcode + "/ocml.bc", fs::file_time_type::clock::now());
  expect_hit(argv);
  project_.write("bitcode/ocml.bc", support::read_bytes(bitcode + "/ocml.bc"));
  expect_hit(argv);
  fs::remove_all(bitcode);
  copy_bitcode("bitcode");
  expect_hit(argv);
}

TEST_P(OwedHit, AnotherBuildDirectoryOfTheSameSources) {
  project_.make_directory("include");
  EXPECT_EQ(steps_run(build_in("debug", "-O1")), 3);
  EXPECT_EQ(steps_run(build_in("release", "-O1")), 0);
  EXPECT_EQ(steps_run(build_in("debug", "-O1 -g")), 3);
  EXPECT_EQ(steps_run(build_in("release", "-O1 -g")), 3) << "the directory is in the object";
}

TEST_P(OwedHit, ArchsInAnotherOrderTwiceOrSpeltOtherwise) {
  warm(for_archs(archs({"gfx906", "gfx1030"})));
  for (const char* spelling :
       {"--offload-arch=gfx1030 --offload-arch=gfx906", "--offload-arch=gfx906,gfx1030",
        "--offload-arch=gfx1030,gfx906,gfx1030", "--cuda-gpu-arch=gfx906 --offload-arch=gfx1030",
        "--offload-arch=gfx906 --offload-arch=gfx90a --offload-arch=gfx1030 --no-offload-arch=gfx90a"}) {
    SCOPED_TRACE(spelling);
    expect_hit(for_archs(words(spelling)));
  }
}

TEST_P(OwedHit, TheCodeObjectsOfTheArchsThatStay) {
  warm(for_archs(archs({"gfx906", "gfx1030"})));
  expect_runs({.bundle = 1, .probe = 1}, for_archs(archs({"gfx1030"})));
  expect_runs({.bundle = 1, .probe = 1}, for_archs(archs({"gfx906"})));
  expect_hit(for_archs(archs({"gfx906", "gfx1030"})));
}

TEST_P(OwedHit, ABranchThatWasSwitchedToAndBack) {
  write_kernel(project_, "a.hip", "#include \"value.h\"\n");
  const auto switch_to = [this](const std::string& branch) {
    for (const char* name : {"value.h", "only_trunk.h", "only_work.h"}) fs::remove(project_ / name);
    project_.write("only_" + branch + ".h", "__device__ int " + branch + " = 1;\n");
    project_.write("value.h", "#include \"only_" + branch + ".h\"\n");
  };
  for (const char* branch : {"trunk", "work"}) {
    switch_to(branch);
    warm(command());
  }
  for (const char* branch : {"trunk", "work", "trunk"}) {
    switch_to(branch);
    expect_hit(command());
  }
}

TEST_P(OwedHit, AnotherUserAtAnotherTerminal) {
  warm(command(), {{"HOME", "/root"}, {"USER", "one"}, {"COLUMNS", "80"}, {"TERM", "xterm"}, {"LANG", "C"}});
  const support::Scratch elsewhere;  // clang 15 leaves files in TMPDIR
  expect_hit(command(), {{"HOME", project_ / "home"},
                         {"USER", "other"},
                         {"LOGNAME", "other"},
                         {"COLUMNS", "200"},
                         {"TERM", "dumb"},
                         {"TMPDIR", elsewhere.path()},
                         {"TMP", elsewhere.path()},
                         {"MAKEFLAGS", "-j8"},
                         {"SSH_CONNECTION", "1"}});
}

TEST_P(OwedHit, OutputsThatWereRemovedTruncatedOrReplaced) {
  const Arguments argv = command("-O1 -MD");
  warm(argv);
  for (const char* name : {"a.o", "a.d"}) {
    fs::remove(project_ / name);
    expect_hit(argv);
    project_.write(name, "");
    expect_hit(argv);
    project_.write(name, "something else");
    expect_hit(argv);
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, OwedHit, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
