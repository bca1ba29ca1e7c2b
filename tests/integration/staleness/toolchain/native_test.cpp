// "Whatever GPU is in this machine": the compiler asks a tool, and no file that hipcache could check has the answer.
#include <gtest/gtest.h>

#include <filesystem>

#include "integration/staleness/support/staleness.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

class NativeStaleness : public Staleness {
 protected:
  NativeStaleness() {
    const std::string tool = project_.write("tools/amdgpu-arch", "#!/bin/sh\ncat " + (project_ / "gpus") + "\n");
    fs::permissions(tool, fs::perms(0755));
    for (const char* name : {"lld", "clang-offload-bundler"})
      project_.link(std::string("tools/") + name, GetParam().tools() + "/" + name);
    plug_in("gfx906");
  }

  void plug_in(const std::string& gpu) const { project_.write("gpus", gpu + "\n"); }

  Arguments command_for(const std::string& archs) const {
    return without(GetParam().hip(), "-B") + Arguments{"-B" + (project_ / "tools")} +
           words("-O1 " + archs + " -c a.hip -o a.o");
  }

  // The compile is left to the compiler; clang 15 does not know that arch.
  void expect_left_alone(const std::string& reason, const std::string& archs, const Variables& variables = {}) {
    SCOPED_TRACE(archs);
    const Counts counted = oracle_.check(command_for(archs), variables);
    EXPECT_EQ(counted.passed, 1);
    if (clang15()) return;
    EXPECT_EQ(oracle_.exit_code(), 0);
    EXPECT_TRUE(counted.reasons.contains(reason)) << counted.json.at("not_cached");
  }

  bool object_has(const std::string& arch) const {
    return support::exists(project_ / "a.o") &&
           support::read_bytes(project_ / "a.o").find("amdgcn-amd-amdhsa--" + arch) != std::string::npos;
  }
};

TEST_P(NativeStaleness, AnotherGpuIsAnotherObject) {
  for (const std::string gpu : {"gfx906", "gfx1030", "gfx906"}) {
    plug_in(gpu);
    expect_left_alone("native-target", "--offload-arch=native");
    EXPECT_EQ(object_has("gfx906"), !clang15() && gpu == "gfx906");
    EXPECT_EQ(object_has("gfx1030"), !clang15() && gpu == "gfx1030");
  }
}

TEST_P(NativeStaleness, AToolThatIsNamedIsAskedEachTime) {
  for (const std::string gpu : {"gfx906", "gfx1030"}) {
    plug_in(gpu);
    expect_left_alone("native-target", "--offload-arch=native --amdgpu-arch-tool=" + (project_ / "tools/amdgpu-arch"));
    EXPECT_EQ(object_has(gpu), !clang15()) << gpu;
  }
}

TEST_P(NativeStaleness, AGpuBesideArchsThatAreNamedIsAskedForAsWell) {
  for (const char* archs : {"--offload-arch=native,gfx90a", "--offload-arch=gfx90a --offload-arch=native"}) {
    expect_left_alone("native-target", archs);
    EXPECT_EQ(object_has("gfx906") && object_has("gfx90a"), !clang15()) << archs;
  }
}

// The driver runs the tool even though the GPU is taken back.
TEST_P(NativeStaleness, AGpuThatIsAskedForAndTakenBackIsTheCompilersToSortOut) {
  for (const char* taken_back : {"--no-offload-arch=all", "--no-offload-arch=native"})
    expect_left_alone("compiler-is-a-wrapper",
                      std::string("--offload-arch=native ") + taken_back + " --offload-arch=gfx90a");
}

TEST_P(NativeStaleness, AGpuThatTheEnvironmentAsksForIsNoticedByTheToolThatRuns) {
  const Variables native{{"CCC_OVERRIDE_OPTIONS", "# +--offload-arch=native"}};
  for (const char* gpu : {"gfx906", "gfx1030"}) {
    plug_in(gpu);
    const Counts counted = oracle_.check(command_for(""), native);
    EXPECT_EQ(counted.misses, clang15() ? 0 : 1);
    if (!clang15()) {
      EXPECT_EQ(counted.not_stored.at("native-target"), 1) << counted.json.dump();
    }
    EXPECT_EQ(object_has(gpu), !clang15()) << gpu;
  }
}

TEST_P(NativeStaleness, ArchsThatAreNamedDoNotDependOnTheGpu) {
  plug_in("gfx906");
  expect_left_alone("native-target", "--offload-arch=native");
  warm(command_for("--offload-arch=gfx906"));
  plug_in("gfx1030");
  expect_hit(command_for("--offload-arch=gfx906"));
  fs::remove(project_ / "tools/amdgpu-arch");
  expect_hit(command_for("--offload-arch=gfx906"));
}

INSTANTIATE_TEST_SUITE_P(Compilers, NativeStaleness, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
