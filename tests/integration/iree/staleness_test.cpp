// What a compile of IREE's depends on: a change recompiles, the former state hits, and anything else changes nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "integration/iree/iree_compile.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

class IreeStaleness : public IreeCompile {
 protected:
  void replace(const std::string& file, const std::string& from, const std::string& to) {
    std::string text = support::read_bytes(project_ / file);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos);
    project_.write(file, text.replace(at, from.size(), to));
  }
};

TEST_P(IreeStaleness, AnEditedModelRunsAndItsFormerTextHits) {
  for (const Arguments& target : {iree().hip(), vmvx()}) {
    const std::string former = support::read_bytes(project_ / "softmax.mlir");
    expect_run(compile(target));
    replace("softmax.mlir", "@softmax", "@other__");
    expect_run(compile(target));
    project_.write("softmax.mlir", former);
    expect_hit(compile(target));
  }
}

TEST_P(IreeStaleness, TargetsNeverServeEachOther) {
  const std::vector<Arguments> targets{iree().hip(), iree().hip("gfx1100"), iree().amdgpu(), llvm_cpu(), vmvx()};
  std::set<std::string> modules;
  for (const Arguments& target : targets) {
    expect_run(compile(target));
    modules.insert(support::read_bytes(project_ / "a.vmfb"));
  }
  EXPECT_EQ(modules.size(), targets.size());
  for (const Arguments& target : targets) expect_hit(compile(target));
}

TEST_P(IreeStaleness, AnEditedSpecRuns) {
  const std::string spec =
      "module attributes {transform.with_named_sequence} {\n"
      "  transform.named_sequence @__transform_main(%module: !transform.any_op) {\n    transform.yield\n  }\n}\n";
  project_.write("spec.mlir", spec);
  const Arguments command =
      compile(iree().hip(), "softmax.mlir --iree-preprocessing-transform-spec-filename=spec.mlir -o a.vmfb");
  expect_run(command);
  expect_hit(command);
  project_.write("spec.mlir", "// edited\n" + spec);
  expect_run(command);
  project_.write("spec.mlir", spec);
  expect_hit(command);
}

TEST_P(IreeStaleness, AnotherDeviceLibraryInTheDirectoryRuns) {
  for (const char* name : {"ocml.bc", "ockl.bc"})
    project_.write(std::string("bitcode/") + name,
                   support::read_bytes(iree().libraries() + "/iree_platform_libs/rocm/" + name));
  const Arguments command = compile(iree().hip(), "trigonometry.mlir " + iree().bitcode + "bitcode -o a.vmfb");
  expect_run(command);
  expect_hit(command);
  const std::string former = support::read_bytes(project_ / "bitcode/ocml.bc");
  project_.write("bitcode/ocml.bc", support::read_bytes(project_ / "bitcode/ockl.bc"));
  EXPECT_EQ(check(command).failed, 1) << "the library lacks what the model calls";
  fs::remove(project_ / "bitcode/ocml.bc");
  EXPECT_EQ(check(command).failed, 1);
  project_.write("bitcode/ocml.bc", former);
  expect_hit(command);
}

TEST_P(IreeStaleness, VariablesThatTheCompilerAsksForAreInputs) {
  const Arguments command = compile(iree().hip());
  expect_run(command, {{"IREE_COMPILER_TASK_COUNT", "1"}});
  expect_hit(command, {{"IREE_COMPILER_TASK_COUNT", "1"}});
  expect_run(command, {{"IREE_COMPILER_TASK_COUNT", "2"}});
  expect_hit(command, {{"IREE_COMPILER_TASK_COUNT", "1"}, {"UNRELATED", "1"}});
}

TEST_P(IreeStaleness, ResponseFilesAreInputs) {
  project_.write("options", "--iree-opt-const-eval=true");
  const Arguments command = compile(vmvx(), "@options softmax.mlir -o a.vmfb");
  expect_run(command);
  expect_hit(command);
  project_.write("options", "--iree-opt-const-eval=false");
  expect_run(command);
}

TEST_P(IreeStaleness, AnotherPlaceOfTheModelRunsBecauseItsNameIsInTheResult) {
  project_.write("sub/softmax.mlir", support::read_bytes(project_ / "softmax.mlir"));
  expect_run(compile(vmvx()));
  expect_run(compile(vmvx(), "sub/softmax.mlir -o a.vmfb"));
  expect_hit(compile(vmvx()));
}

TEST(IreeVersions, NeverServeEachOther) {
  for (const Iree& iree : kIrees)
    if (!iree.is_installed()) GTEST_SKIP() << "IREE " << iree.version << " is not installed: tools/test-iree does that";
  const support::Scratch project;
  const Cache cache;
  Oracle oracle(cache, project.path());
  project.write("softmax.mlir", support::read_bytes(HIPCACHE_SOURCE "/fixtures/iree/softmax.mlir"));
  const Arguments command = Arguments{"iree-compile"} + vmvx() + words("softmax.mlir -o a.vmfb");
  const auto check = [&](const Iree& iree) {
    return oracle.check(command, {{"PATH", iree.libraries() + ":" + std::getenv("PATH")}});
  };
  for (const Iree& iree : kIrees) EXPECT_EQ(check(iree).misses, 1) << iree.version;
  for (const Iree& iree : kIrees) EXPECT_EQ(check(iree).hits, 1) << iree.version;
}

INSTANTIATE_TEST_SUITE_P(Versions, IreeStaleness, testing::ValuesIn(kIrees), name_of_iree);

}  // namespace
}  // namespace hipcache::integration
