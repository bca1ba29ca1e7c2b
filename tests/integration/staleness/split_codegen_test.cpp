// Codegen split: an input of one of the two steps changes, and only that step runs again. Both run if the back end's
// input changes too. The oracle checks every compile.
#include <gtest/gtest.h>

#include <filesystem>

#include "integration/staleness/support/toolchain.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

class SplitCodegenInputs : public Staleness {
 protected:
  // A kernel whose back end takes half a second of processor time, its front end almost none. Clang 19 takes twice as
  // long for it as clang 15.
  std::string heavy(const std::string& value) const {
    const std::string times = clang15() ? "400" : "250";
    return "#include \"value.h\"\n__global__ void heavy(float* x, int n) {\n#pragma unroll " + times +
           "\n  for (int i = 0; i < " + times + "; ++i) x[i] = x[i + 1] * x[n] + x[i * n] + " + value + ";\n}\n";
  }

  Arguments compile() const { return without(toolchain_.compile(), "--offload-arch=gfx1030"); }

  // How many front ends and back ends run for the device. The next compile is a hit.
  void expect_parts(int front, int back, const Arguments& argv, const Variables& variables = {}) {
    const Counts counted = check(argv, variables);
    EXPECT_EQ(counted.run.at("device"), 1) << counted.json.dump();
    EXPECT_EQ(counted.run.at("front"), front) << counted.json.dump();
    EXPECT_EQ(counted.run.at("back"), back) << counted.json.dump();
    EXPECT_EQ(counted.hit.at("back"), 1 - back) << counted.json.dump();
    expect_hit(argv, variables);
  }

  Toolchain toolchain_{GetParam()};
};

// The first compile has shown that the split pays.
class SplitCodegenStaleness : public SplitCodegenInputs {
 protected:
  SplitCodegenStaleness() {
    toolchain_.copy("bin/lld");
    project_.write("value.h", "#define VALUE 1\n");
    write_kernel(project_, "a.hip", heavy("VALUE"));
    await_settled(project_ / "a.hip");
    expect_parts(1, 1);
  }

  using SplitCodegenInputs::expect_parts;
  void expect_parts(int front, int back) { expect_parts(front, back, compile()); }
};

// What no compiler decides.
class SplitCodegenStalenessByOneCompiler : public SplitCodegenStaleness {};

TEST_P(SplitCodegenStaleness, AHeaderThatChangesTheBitcodeRunsBoth) {
  project_.write("value.h", "#define VALUE 2\n");
  expect_parts(1, 1);
}

TEST_P(SplitCodegenStaleness, AHeaderThatLeavesTheBitcodeRunsTheFrontEndAlone) {
  project_.write("value.h", "#define VALUE 1\n#define OTHER 1\n");
  expect_parts(1, 0);
}

// Only the back end reads the linker. But a front end's result is not stored, so it runs whenever the step does.
TEST_P(SplitCodegenStalenessByOneCompiler, AnotherLinkerRunsBoth) {
  toolchain_.append_byte("bin/lld");
  expect_parts(1, 1);
}

TEST_P(SplitCodegenStalenessByOneCompiler, AReplacedCompilerRunsBoth) {
  toolchain_.append_byte("bin/clang");
  expect_parts(1, 1);
}

TEST_P(SplitCodegenStalenessByOneCompiler, AnotherLibraryOfTheCompilersRunsBoth) {
  copy_library("libgcc_s.so.1", project_ / "libraries");
  expect_parts(1, 1, compile(), {{"LD_LIBRARY_PATH", project_ / "libraries"}});
  expect_hit(compile());
}

TEST_P(SplitCodegenInputs, ArgumentsThatTheEnvironmentAddsRunBoth) {
  expect_parts(1, 1, compile());
  for (const char* added : {"#+-Wextra", "#+-DOTHER=1", "#+-O2"})
    expect_parts(1, 1, compile(), {{"CCC_OVERRIDE_OPTIONS", added}});
  expect_hit(compile());
}

// The front end links the device libraries.
TEST_P(SplitCodegenInputs, ADeviceLibraryThatChangesTheBitcodeRunsBothAndAnotherOneTheFrontEndAlone) {
  const std::string directory = copy_bitcode("bitcode");
  const auto replace = [&](const std::string& one, const std::string& by) {
    fs::copy_file(project_ / ("bitcode/oclc_" + by + ".bc"), project_ / ("bitcode/oclc_" + one + ".bc"),
                  fs::copy_options::overwrite_existing);
  };
  project_.write("value.h", "extern \"C\" __device__ float __ocml_sqrt_f32(float);\n");
  write_kernel(project_, "a.hip", heavy("__ocml_sqrt_f32(x[i])"));
  const Arguments argv = without(with_bitcode(directory), "--offload-arch=gfx1030");
  expect_parts(1, 1, argv);
  replace("finite_only_off", "finite_only_on");
  expect_parts(1, 0, argv);
  replace("correctly_rounded_sqrt_on", "correctly_rounded_sqrt_off");
  expect_parts(1, 1, argv);
}

INSTANTIATE_TEST_SUITE_P(Compilers, SplitCodegenInputs, testing::ValuesIn(kCompilers), name_of);
INSTANTIATE_TEST_SUITE_P(Compilers, SplitCodegenStaleness, testing::ValuesIn(kCompilers), name_of);
INSTANTIATE_TEST_SUITE_P(Compilers, SplitCodegenStalenessByOneCompiler, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
