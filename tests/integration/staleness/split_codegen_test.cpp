// Codegen split: an input of one of the two steps changes, and only that step runs again. Both run if the back end's
// input changes too. The oracle checks every compile.
#include <gtest/gtest.h>

#include "integration/staleness/support/toolchain.h"

namespace hipcache::integration {
namespace {

// Its back end takes a second of processor time, its front end almost none.
std::string heavy(const std::string& value) {
  return "#include \"value.h\"\n__global__ void heavy(float* x, int n) {\n#pragma unroll 400\n"
         "  for (int i = 0; i < 400; ++i) x[i] = x[i + 1] * x[n] + x[i * n] + " +
         value + ";\n}\n";
}

class HalvesStaleness : public Staleness {
 protected:
  HalvesStaleness() {
    toolchain_.copy("bin/lld");
    project_.write("value.h", "#define VALUE 1\n");
    write_kernel(project_, "a.hip", heavy("VALUE"));
    await_settled(project_ / "a.hip");
    const Counts cold = check(toolchain_.compile());
    EXPECT_EQ(cold.run.at("front"), 2) << cold.json.dump();
    EXPECT_EQ(cold.run.at("back"), 2) << cold.json.dump();
    expect_hit(toolchain_.compile());
  }

  void expect_halves(int front, int back) {
    const Counts counted = check(toolchain_.compile());
    EXPECT_EQ(counted.run.at("device"), 2) << counted.json.dump();
    EXPECT_EQ(counted.run.at("front"), front) << counted.json.dump();
    EXPECT_EQ(counted.run.at("back"), back) << counted.json.dump();
    expect_hit(toolchain_.compile());
  }

  Toolchain toolchain_{GetParam()};
};

TEST_P(HalvesStaleness, AHeaderThatChangesTheBitcodeRunsBoth) {
  project_.write("value.h", "#define VALUE 2\n");
  expect_halves(2, 2);
}

TEST_P(HalvesStaleness, AHeaderThatLeavesTheBitcodeRunsTheFrontEndAlone) {
  project_.write("value.h", "#define VALUE 1\n#define OTHER 1\n");
  expect_halves(2, 0);
}

// Only the back end reads the linker. But a front end's result is not stored, so it runs whenever the step does.
TEST_P(HalvesStaleness, AnotherLinkerRunsBoth) {
  toolchain_.append_byte("bin/lld");
  expect_halves(2, 2);
}

TEST_P(HalvesStaleness, AReplacedCompilerRunsBoth) {
  toolchain_.append_byte("bin/clang");
  expect_halves(2, 2);
}

INSTANTIATE_TEST_SUITE_P(Compilers, HalvesStaleness, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
