// The forms of IREE's commands: their outputs, pip's scripts, failures, and what is left to the compiler.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "integration/iree/iree_compile.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;

class IreeCommands : public IreeCompile {
 protected:
  // Runs through hipcache and without it. Their ends must be equal, but for a line of hipcache's.
  void expect_failure(const Arguments& command, const std::string& line) {
    for (int time = 0; time < 2; ++time) {
      const Counts before = cache_.counts();
      const Ended cached = cache_.run(command, project_.path());
      const Counts counted = cache_.counts() - before;
      const Ended alone = run(command, project_.path());
      EXPECT_EQ(counted.failed, 1);
      EXPECT_EQ(counted.misses, 1);
      EXPECT_NE(alone.exit_code, 0);
      EXPECT_EQ(cached.exit_code, alone.exit_code);
      EXPECT_EQ(cached.out, alone.out);
      EXPECT_EQ(cached.err, alone.err + line);
      EXPECT_FALSE(fs::exists(project_ / "a.vmfb"));
    }
  }
};

TEST_P(IreeCommands, EveryFileThatWasDumpedComesBack) {
  project_.make_directory("phases");
  project_.make_directory("dumps");
  const Arguments command =
      compile(iree().hip(),
              "softmax.mlir --dump-compilation-phases-to=phases --iree-hal-dump-executable-files-to=dumps -o a.vmfb");
  expect_run(command);
  std::vector<fs::path> dumped;
  for (const char* directory : {"phases", "dumps"})
    for (const fs::directory_entry& entry : fs::directory_iterator(project_ / directory))
      dumped.push_back(entry.path());
  EXPECT_GT(dumped.size(), 10U);
  for (const fs::path& file : dumped) fs::remove(file);
  expect_hit(command);
  for (const fs::path& file : dumped) EXPECT_TRUE(fs::exists(file)) << file;
}

// A result has files, and no directories.
TEST_P(IreeCommands, ADirectoryThatTheCompilerMakesIsNotStored) {
  const Arguments command = compile(vmvx(), "softmax.mlir --dump-compilation-phases-to=phases -o a.vmfb");
  EXPECT_EQ(check(command).not_stored.at("writes-elsewhere"), 1);
  expect_run(command);
  expect_hit(command);
}

TEST_P(IreeCommands, PhasesAndStandardOutputAreCached) {
  for (const char* rest : {"softmax.mlir --compile-to=flow -o a.mlir",
                           "softmax.mlir --compile-to=executable-sources --emit-mlir-bytecode -o a.mlirbc",
                           "softmax.mlir --compile-to=hal", "softmax.mlir -o -"}) {
    SCOPED_TRACE(rest);
    expect_run(compile(iree().hip(), rest));
    expect_hit_again();
  }
}

TEST_P(IreeCommands, AWarningIsRepeated) {
  const Arguments target{"--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu"};
  expect_run(compile(target));
  EXPECT_THAT(cache_.run(compile(target), project_.path()).err, testing::HasSubstr("warning"));
  expect_hit(compile(target));
}

TEST_P(IreeCommands, OptIsCached) {
  const Arguments command{iree().program("iree-opt"), "--canonicalize", "transformer.mlir", "-o", "a.mlir"};
  expect_run(command);
  expect_hit(command);
}

TEST_P(IreeCommands, PipsScriptIsCachedAndItsHitStartsNoPython) {
  const Arguments command = Arguments{iree().script()} + vmvx() + words("softmax.mlir -o a.vmfb");
  expect_run(command);
  expect_hit(command);
  expect_run(command, {{"IREE_TOOL_PATH", project_ / "nowhere"}});
}

// Python lists the working directory, unless it is told not to.
TEST_P(IreeCommands, PythonsModuleIsCached) {
  project_.make_directory("out");
  const Arguments command =
      Arguments{iree().directory() + "/bin/python3", "-P", "-m", "iree.compiler.tools.scripts.iree_compile"} + vmvx() +
      words("softmax.mlir -o a.vmfb");
  expect_run(command);
  expect_hit(command);
}

TEST_P(IreeCommands, AnErrorIsNeverStored) {
  project_.write("softmax.mlir", "func.func @a() {\n  no.such_thing\n}\n");
  expect_failure(compile(iree().hip()), "");
}

TEST_P(IreeCommands, AMissingBackEndOrGpuIsNamed) {
  expect_failure(compile({"--iree-hal-target-device=local"}),
                 "hipcache: the device \"local\" needs a back end: "
                 "--iree-hal-local-target-device-backends=llvm-cpu (or vmvx)\n");
  expect_failure(compile({"--iree-hal-target-device=hip"}),
                 "hipcache: \"hip\" needs the name of a GPU: --iree-rocm-target=gfx942 "
                 "(--iree-hip-target= in older versions)\n");
  expect_failure(compile({}),
                 "hipcache: no device is named; unless the module names its own: "
                 "--iree-hal-target-device=hip, amdgpu or local\n");
}

TEST_P(IreeCommands, WhatNoTraceCanShowIsLeftToTheCompiler) {
  expect_passed("standard-input", compile(vmvx(), "- -o a.vmfb"));
  expect_passed("driver-information", {iree().program(), "--version"});
  expect_passed("output-not-a-file", compile(vmvx(), "softmax.mlir -o /dev/zero"));
}

// The compiler's own message has their random names, so it is not compared.
TEST_P(IreeCommands, ACompileThatKeepsTemporaryFilesIsLeftToTheCompiler) {
  const Counts before = cache_.counts();
  const Ended ended =
      cache_.run(compile(llvm_cpu(), "softmax.mlir --iree-llvmcpu-keep-linker-artifacts=true -o a.vmfb"),
                 project_.path(), {{"TMPDIR", project_.path()}});
  const Counts counted = cache_.counts() - before;
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_TRUE(fs::exists(project_ / "a.vmfb"));
  EXPECT_EQ(counted.passed, 1);
  EXPECT_TRUE(counted.reasons.contains("save-temps")) << counted.json.at("not_cached");
}

TEST_P(IreeCommands, AVariableThatKeepsTemporaryFilesIsRefused) {
  const Counts counted = check(compile(vmvx()), {{"IREE_PRESERVE_DYLIB_TEMP_FILES", "1"}});
  EXPECT_EQ(counted.passed, 1);
  EXPECT_TRUE(counted.reasons.contains("save-temps")) << counted.json.at("not_cached");
}

// Older versions have no linker of modules.
class IreeLink : public IreeCompile {};

TEST_P(IreeLink, LinkedModulesAreInputs) {
  project_.write("main.mlir", R"(func.func private @softmax(tensor<32x256xf32>) -> tensor<32x256xf32>
func.func @main(%x: tensor<32x256xf32>) -> tensor<32x256xf32> {
  %result = call @softmax(%x) : (tensor<32x256xf32>) -> tensor<32x256xf32>
  return %result : tensor<32x256xf32>
}
)");
  const Arguments command =
      Arguments{iree().program("iree-link")} + words("main.mlir --link-module=softmax.mlir -o linked.mlir");
  expect_run(command);
  expect_hit(command);
  project_.write("softmax.mlir",
                 "func.func @softmax(%x: tensor<32x256xf32>) -> tensor<32x256xf32> {\n"
                 "  return %x : tensor<32x256xf32>\n}\n");
  expect_run(command);
  expect_hit(command);
}

INSTANTIATE_TEST_SUITE_P(Versions, IreeLink, testing::Values(kIrees.back()), name_of_iree);
INSTANTIATE_TEST_SUITE_P(Versions, IreeCommands, testing::ValuesIn(kIrees), name_of_iree);

}  // namespace
}  // namespace hipcache::integration
