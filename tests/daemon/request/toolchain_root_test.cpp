#include "daemon/request/request_roots.h"

#include <gtest/gtest.h>

#include "support/scratch.h"

namespace hipcache::daemon {
namespace {

class ToolchainRootOf : public testing::Test {
 protected:
  std::string found(const std::string& compiler) const {
    return toolchain_root(scratch_ / compiler, "/elsewhere").path;
  }
  std::string program(const std::string& name) const { return scratch_.write(name, "elf"); }

  support::Scratch scratch_;
};

TEST_F(ToolchainRootOf, ACompilerInItsOwnTreeIsTheDirectoryAboveBin) {
  program("one/bin/clang-19");
  EXPECT_EQ(found("one/bin/clang-19"), "");
  scratch_.make_directory("one/lib/clang");
  EXPECT_EQ(found("one/bin/clang-19"), scratch_ / "one");
}

TEST_F(ToolchainRootOf, RocmIsAroundItsCompiler) {
  program("rocm/lib/llvm/bin/clang-19");
  scratch_.make_directory("rocm/lib/llvm/lib/clang");
  EXPECT_EQ(found("rocm/lib/llvm/bin/clang-19"), scratch_ / "rocm/lib/llvm");
  scratch_.make_directory("rocm/amdgcn/bitcode");
  EXPECT_EQ(found("rocm/lib/llvm/bin/clang-19"), scratch_ / "rocm");
  scratch_.link("rocm/llvm", "lib/llvm");
  scratch_.link("rocm/bin/amdclang++", "../lib/llvm/bin/clang-19");
  EXPECT_EQ(found("rocm/llvm/bin/clang-19"), scratch_ / "rocm");
  EXPECT_EQ(found("rocm/bin/amdclang++"), scratch_ / "rocm");
}

TEST_F(ToolchainRootOf, TheLinkThatTheCompilerWasCalledByIsItsOtherName) {
  program("rocm-7.0/bin/clang");
  scratch_.make_directory("rocm-7.0/lib/clang");
  scratch_.link("rocm", "rocm-7.0");
  EXPECT_EQ(toolchain_root(scratch_ / "rocm/bin/clang", "/").alias, scratch_ / "rocm");
  EXPECT_EQ(toolchain_root(scratch_ / "rocm-7.0/bin/clang", "/").alias, "");
  EXPECT_EQ(toolchain_root(scratch_ / "rocm/bin/../bin/clang", "/").alias, "");
}

TEST_F(ToolchainRootOf, WhatThePackagesInstallIsNone) {
  EXPECT_EQ(toolchain_root("/usr/bin/clang++-19", "/").path, "");
  EXPECT_EQ(toolchain_root("/usr/lib/llvm-19/bin/clang", "/").path, "");
  EXPECT_EQ(toolchain_root("/usr/bin/gcc", "/").path, "");
  EXPECT_EQ(toolchain_root("/no/such/bin/clang", "/").path, "");
}

TEST_F(ToolchainRootOf, ACompileThatRunsWithinItIsNone) {
  program("one/bin/clang");
  scratch_.make_directory("one/lib/clang");
  EXPECT_EQ(toolchain_root(scratch_ / "one/bin/clang", scratch_ / "one/src").path, "");
  EXPECT_EQ(toolchain_root(scratch_ / "one/bin/clang", scratch_ / "one-more").path, scratch_ / "one");
}

}  // namespace
}  // namespace hipcache::daemon
