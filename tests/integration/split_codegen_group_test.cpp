// Codegen split: what a project's first units show decides whether the first compiles of later units are split. The
// back ends of light units take almost no processor time, those of heavy ones half a second at least, whatever the
// load of the machine.
#include <string>

#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

const Arguments kTwoArchs = archs({"gfx906", "gfx1030"});

class SplitCodegenGroup : public SingleCompile {
 protected:
  Arguments compile(const std::string& name, const Arguments& archs = kTwoArchs, const std::string& flags = "-O1") {
    return GetParam().hip() + archs + words(flags) + Arguments{"-c", name + ".hip", "-o", name + ".o"};
  }

  void write_light(const std::string& name) {
    write_kernel(project_, name + ".hip", "__device__ int only_" + name + ";\n");
  }

  void write_heavy(const std::string& name, const std::string& before = "") {
    write_kernel(project_, name + ".hip",
                 before + "__global__ void heavy(float* x, int n) {\n#pragma unroll 400\n" +
                     "  for (int i = 0; i < 400; ++i) x[i] = x[i + 1] * x[n] + x[i * n];\n}\n");
  }

  // Not checked against the compiler.
  Counts run_cached(const Arguments& argv, const std::string& directory) {
    const Counts before = cache_.counts();
    const Ended ended = cache_.run(argv, directory);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return cache_.counts() - before;
  }
  Counts run_cached(const Arguments& argv) { return run_cached(argv, project_.path()); }

  // As many light units as are surely enough: each step pays 12 ms at least, and 150 ms are allowed.
  void learn_light() {
    for (int unit = 0; unit < 7; ++unit) {
      const std::string name = "light" + std::to_string(unit);
      write_light(name);
      const Counts counted = run_cached(compile(name));
      EXPECT_EQ(counted.run.at("device"), 2);
      if (unit == 0) {
        EXPECT_EQ(counted.run.at("front"), 2);
      }
    }
  }

  void expect_as_one(const Counts& counted, int devices) {
    EXPECT_EQ(counted.run.at("device"), devices) << counted.json.dump();
    EXPECT_EQ(counted.run.at("front"), 0) << counted.json.dump();
    EXPECT_EQ(counted.run.at("back") + counted.hit.at("back"), 0) << counted.json.dump();
    EXPECT_EQ(counted.run.at("split_codegen_proof"), 0) << counted.json.dump();
  }
};

TEST_P(SplitCodegenGroup, AfterLightUnitsOthersAreNeitherSplitNorProved) {
  learn_light();
  write_light("late");
  expect_as_one(check(compile("late")), 2);
  ASSERT_EQ(cache_.control("--stop-server").exit_code, 0) << "another daemon knows it from the store";
  expect_as_one(check(compile("late", archs({"gfx906", "gfx90a"}))), 1);
  expect_as_one(check(compile("late", archs({"gfx906"}), "-O2")), 1);
  write_kernel(project_, "late.hip", "__device__ int edited;\n");
  expect_as_one(check(compile("late")), 2);
}

TEST_P(SplitCodegenGroup, AnotherProjectLearnsForItself) {
  learn_light();
  const support::Scratch other;
  write_kernel(other, "a.hip");
  EXPECT_EQ(run_cached(compile("a"), other.path()).run.at("front"), 2);
}

TEST_P(SplitCodegenGroup, OneFirstCompileInSeventeenIsStillSplit) {
  learn_light();
  std::int64_t fronts = 0;
  for (int unit = 0; unit < 17; ++unit) {
    const std::string name = "late" + std::to_string(unit);
    write_light(name);
    fronts += run_cached(compile(name, archs({"gfx906"}))).run.at("front");
  }
  EXPECT_EQ(fronts, 1);
}

// Its first edit runs the back end for nothing, later ones do not. Then the group is known to have heavy units.
TEST_P(SplitCodegenGroup, AHeavyUnitAmongLightOnesIsSplitTheNextTime) {
  learn_light();
  write_heavy("heavy");
  expect_as_one(check(compile("heavy")), 2);

  write_heavy("heavy", "#define COMMENTED 1\n");
  const Counts first = check(compile("heavy"));
  EXPECT_EQ(first.run.at("device"), 2) << first.json.dump();
  EXPECT_EQ(first.run.at("front"), 2) << first.json.dump();
  EXPECT_EQ(first.run.at("back"), 2) << first.json.dump();

  write_heavy("heavy", "#define COMMENTED 2\n");
  const Counts later = check(compile("heavy"));
  EXPECT_EQ(later.run.at("front"), 2) << later.json.dump();
  EXPECT_EQ(later.run.at("back"), 0) << later.json.dump();
  EXPECT_EQ(later.hit.at("back"), 2) << later.json.dump();

  write_light("other");
  EXPECT_EQ(run_cached(compile("other")).run.at("front"), 2) << "the group has changed its mind";
}

TEST_P(SplitCodegenGroup, HeavyUnitsAreSplitFromTheirFirstCompileOn) {
  for (int unit = 0; unit < 4; ++unit) {
    const std::string name = "heavy" + std::to_string(unit);
    write_heavy(name, "__device__ int of_" + name + ";\n");
    const Counts cold = run_cached(compile(name, archs({"gfx906"})));
    EXPECT_EQ(cold.run.at("front"), 1) << unit;
    EXPECT_EQ(cold.run.at("back"), 1) << unit;
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, SplitCodegenGroup, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
