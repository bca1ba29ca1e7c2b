// Codegen split: an input of one of the two steps changes, and only that step runs again. Both run if the back end's
// input changes too. The oracle checks every compile.
#include <gtest/gtest.h>

#include <filesystem>

#include "integration/staleness/support/toolchain.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

// Its back end takes a second of processor time, its front end almost none.
std::string heavy(const std::string& value) {
  return "#include \"value.h\"\n__global__ void heavy(float* x, int n) {\n#pragma unroll 400\n"
         "  for (int i = 0; i < 400; ++i) x[i] = x[i + 1] * x[n] + x[i * n] + " +
         value + ";\n}\n";
}

class SplitCodegenInputs : public Staleness {
 protected:
  // How many front ends and back ends run for the two devices. The next compile is a hit.
  void expect_parts(int front, int back, const Arguments& argv, const Variables& variables = {}) {
    const Counts counted = check(argv, variables);
    EXPECT_EQ(counted.run.at("device"), 2) << counted.json.dump();
    EXPECT_EQ(counted.run.at("front"), front) << counted.json.dump();
    EXPECT_EQ(counted.run.at("back"), back) << counted.json.dump();
    EXPECT_EQ(counted.hit.at("back"), 2 - back) << counted.json.dump();
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
    expect_parts(2, 2);
  }

  using SplitCodegenInputs::expect_parts;
  void expect_parts(int front, int back) { expect_parts(front, back, toolchain_.compile()); }
};

TEST_P(SplitCodegenStaleness, AHeaderThatChangesTheBitcodeRunsBoth) {
  project_.write("value.h", "#define VALUE 2\n");
  expect_parts(2, 2);
}

TEST_P(SplitCodegenStaleness, AHeaderThatLeavesTheBitcodeRunsTheFrontEndAlone) {
  project_.write("value.h", "#define VALUE 1\n#define OTHER 1\n");
  expect_parts(2, 0);
}

// Only the back end reads the linker. But a front end's result is not stored, so it runs whenever the step does.
TEST_P(SplitCodegenStaleness, AnotherLinkerRunsBoth) {
  toolchain_.append_byte("bin/lld");
  expect_parts(2, 2);
}

TEST_P(SplitCodegenStaleness, AReplacedCompilerRunsBoth) {
  toolchain_.append_byte("bin/clang");
  expect_parts(2, 2);
}

TEST_P(SplitCodegenStaleness, AnotherLibraryOfTheCompilersRunsBoth) {
  copy_library("libgcc_s.so.1", project_ / "libraries");
  expect_parts(2, 2, toolchain_.compile(), {{"LD_LIBRARY_PATH", project_ / "libraries"}});
  expect_hit(toolchain_.compile());
}

TEST_P(SplitCodegenInputs, ArgumentsThatTheEnvironmentAddsRunBoth) {
  expect_parts(2, 2, toolchain_.compile());
  for (const char* added : {"#+-Wextra", "#+-DOTHER=1", "#+-O2"})
    expect_parts(2, 2, toolchain_.compile(), {{"CCC_OVERRIDE_OPTIONS", added}});
  expect_hit(toolchain_.compile());
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
  const Arguments argv = with_bitcode(directory);
  expect_parts(2, 2, argv);
  replace("finite_only_off", "finite_only_on");
  expect_parts(2, 0, argv);
  replace("correctly_rounded_sqrt_on", "correctly_rounded_sqrt_off");
  expect_parts(2, 2, argv);
}

INSTANTIATE_TEST_SUITE_P(Compilers, SplitCodegenInputs, testing::ValuesIn(kCompilers), name_of);
INSTANTIATE_TEST_SUITE_P(Compilers, SplitCodegenStaleness, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
