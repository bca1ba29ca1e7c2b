// The programs that a compile runs (compiler, lld, bundler), and how they are found.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "integration/staleness/support/toolchain.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

class ToolchainStaleness : public Staleness {
 protected:
  // Every step that the compiler runs depends on it. The code objects come out equal, so no bundle runs.
  static inline const Steps kCompilerChanged{.device = 2, .host = 1, .probe = 1};

  void make_wrapper(const std::string& target) const {
    project_.write("clang++", "#!/bin/sh\nexec " + target + " \"$@\"\n");
    fs::permissions(project_ / "clang++", fs::perms::owner_all);
  }

  // PATH with those of the project's directories first; the tests' programs need the rest.
  Variables path_of(const std::string& directories) const { return {{"PATH", directories + ":/usr/bin:/bin"}}; }

  Toolchain toolchain_{GetParam()};
};

// What no compiler decides.
class ToolchainStalenessByOneCompiler : public ToolchainStaleness {};

TEST_P(ToolchainStaleness, AReplacedCompilerRunsAllThatItRunsItself) {
  warm(toolchain_.compile());
  toolchain_.append_byte("bin/clang");
  expect_runs(kCompilerChanged, toolchain_.compile());
  expect_hit(toolchain_.compile());
}

// The proof that the host code does not depend on the fatbin was made with the old compiler.
TEST_P(ToolchainStaleness, AReplacedCompilerIsProvedAnew) {
  EXPECT_EQ(check(toolchain_.compile()).run.at("proof"), 1);
  toolchain_.append_byte("bin/clang");
  const Counts replaced = check(toolchain_.compile());
  EXPECT_EQ(replaced.run.at("proof"), 1);
  EXPECT_EQ(replaced.hit.at("proof"), 0);
}

TEST_P(ToolchainStalenessByOneCompiler, ACompilerIsKnownByItsBytesAndNotByItsSizeAndTime) {
  toolchain_.append_byte("bin/clang");
  warm(toolchain_.compile());
  toolchain_.change_last_byte("bin/clang");
  expect_runs(kCompilerChanged, toolchain_.compile());
}

TEST_P(ToolchainStalenessByOneCompiler, ACompilerInstalledAnewWithTheSameBytesIsTheSame) {
  warm(toolchain_.compile());
  fs::rename(toolchain_ / "bin/clang", toolchain_ / "bin/old");
  fs::copy_file(toolchain_ / "bin/old", toolchain_ / "bin/clang");
  expect_hit(toolchain_.compile());
}

TEST_P(ToolchainStaleness, AReplacedLinkerRunsTheDeviceSteps) {
  toolchain_.copy("bin/lld");
  warm(toolchain_.compile());
  toolchain_.append_byte("bin/lld");
  expect_runs({.device = 2}, toolchain_.compile());
}

TEST_P(ToolchainStaleness, AReplacedBundlerRunsTheBundleStep) {
  toolchain_.copy("bin/clang-offload-bundler");
  warm(toolchain_.compile());
  toolchain_.append_byte("bin/clang-offload-bundler");
  expect_runs({.bundle = 1}, toolchain_.compile());
}

TEST_P(ToolchainStalenessByOneCompiler, ACompilerBehindARetargetedLinkIsAnother) {
  const Toolchain other(GetParam());
  other.append_byte("bin/clang");
  project_.link("clang++", toolchain_ / "bin/clang++");
  const Arguments argv = Toolchain::compile_by(project_ / "clang++", "-O1 -B" + GetParam().tools());
  warm(argv);
  project_.link("clang++", other / "bin/clang++");
  expect_runs(kCompilerChanged, argv);
  project_.link("clang++", toolchain_ / "bin/clang++");
  expect_hit(argv);
}

TEST_P(ToolchainStalenessByOneCompiler, ACompilerInARetargetedDirectoryIsAnother) {
  const Toolchain other(GetParam());
  other.append_byte("bin/clang");
  project_.link("current", toolchain_.path());
  const Arguments argv = Toolchain::compile_by(project_ / "current/bin/clang++");
  warm(argv);
  project_.link("current", other.path());
  expect_runs(kCompilerChanged, argv);
  project_.link("current", toolchain_.path());
  expect_hit(argv);
}

TEST_P(ToolchainStalenessByOneCompiler, AScriptAroundTheCompilerIsAnInput) {
  const Toolchain other(GetParam());
  const Arguments argv = Toolchain::compile_by(project_ / "clang++");
  make_wrapper(toolchain_ / "bin/clang++");
  warm(argv);
  make_wrapper(other / "bin/clang++ -fwrapv");
  expect_runs({.device = 2, .bundle = clang15() ? 0 : 1, .host = 1, .probe = 1}, argv);
}

TEST_P(ToolchainStalenessByOneCompiler, ACompilerThatAppearsEarlierOnThePathIsTaken) {
  const Toolchain other(GetParam());
  other.append_byte("bin/clang");
  const std::string early = project_.make_directory("early");
  project_.link("late/clang++", toolchain_ / "bin/clang++");
  const Arguments argv = Toolchain::compile_by("clang++", "-O1 -B" + GetParam().tools());
  const Variables path = path_of(early + ":" + (project_ / "late"));
  warm(argv, path);
  project_.link("early/clang++", other / "bin/clang++");
  expect_runs(kCompilerChanged, argv, path);
  fs::remove(project_ / "early/clang++");
  expect_hit(argv, path);
}

TEST_P(ToolchainStaleness, ALinkerThatAppearsEarlierOnThePathIsTaken) {
  fs::remove(toolchain_ / "bin/lld");
  const std::string early = project_.make_directory("early");
  project_.link("late/lld", GetParam().tools() + "/lld");
  const Variables path = path_of(early + ":" + (project_ / "late"));
  warm(toolchain_.compile(), path);
  project_.link("early/lld", GetParam().tools() + "/lld");
  expect_runs({.device = 2, .probe = 1}, toolchain_.compile(), path);
  fs::remove(project_ / "early/lld");
  expect_hit(toolchain_.compile(), path);
}

TEST_P(ToolchainStaleness, ALinkerOnAnotherPathIsTakenAndAPathThatLeadsToTheSameIsAHit) {
  fs::remove(toolchain_ / "bin/lld");
  const std::string empty = project_.make_directory("empty");
  project_.link("one/lld", GetParam().tools() + "/lld");
  project_.link("two/lld", GetParam().tools() + "/lld");
  warm(toolchain_.compile(), path_of(project_ / "one"));
  expect_hit(toolchain_.compile(), path_of(empty + ":" + (project_ / "one")));
  expect_runs({.device = 2, .probe = 1}, toolchain_.compile(), path_of((project_ / "two") + ":" + (project_ / "one")));
  expect_hit(toolchain_.compile(), path_of((project_ / "one") + ":" + (project_ / "two")));
}

TEST_P(ToolchainStaleness, ALinkerThatAppearsInAnEarlierDirectoryOfToolsIsTaken) {
  const std::string early = project_.make_directory("early");
  const Arguments argv = toolchain_.compile("-O1 -B" + early);
  warm(argv);
  project_.link("early/lld", GetParam().tools() + "/lld");
  expect_runs({.device = 2, .probe = 1}, argv);
}

TEST_P(ToolchainStaleness, AnotherDirectoryOfToolsInTheEnvironmentIsUsed) {
  fs::remove(toolchain_ / "bin/lld");
  project_.link("one/lld", GetParam().tools() + "/lld");
  project_.link("two/lld", GetParam().tools() + "/lld");
  const std::string empty = project_.make_directory("empty");
  warm(toolchain_.compile(), {{"COMPILER_PATH", project_ / "one"}});
  expect_runs({.device = 2, .probe = 1}, toolchain_.compile(), {{"COMPILER_PATH", project_ / "two"}});
  // The driver must run to find where that leads; it leads to stored results.
  expect_runs({.probe = 1}, toolchain_.compile(), {{"COMPILER_PATH", empty + ":" + (project_ / "one")}});
}

TEST_P(ToolchainStaleness, AnEditedHeaderOfTheCompilersIsReadAgain) {
  const std::string resource = toolchain_.resource_directory();
  const fs::path original = fs::canonical(toolchain_ / resource) / "include";
  fs::remove(toolchain_ / resource);
  fs::create_directories(toolchain_ / (resource + "/include"));
  for (const auto& entry : fs::directory_iterator(original))
    if (entry.path().filename().string().find("stddef") != std::string::npos)
      fs::copy_file(entry.path(), fs::path(toolchain_ / resource) / "include" / entry.path().filename());
  write_kernel(project_, "a.hip", "#include <stddef.h>\n#ifdef VALUE\n__device__ int value = VALUE;\n#endif\n");
  warm(toolchain_.compile());
  std::ofstream(toolchain_ / (resource + "/include/stddef.h"), std::ios::app) << "#define VALUE 1\n";
  expect_runs({.device = 2, .bundle = 1, .host = 1}, toolchain_.compile());
}

TEST_P(ToolchainStaleness, ANewerGccThatAppearsIsDetected) {
  for (const char* version : {"12", "13"})
    project_.write(std::string("gcc/include/c++/") + version + "/value.h",
                   std::string("__device__ int value = ") + version + ";\n");
  const std::string installations = "gcc/lib/gcc/x86_64-linux-gnu/";
  project_.write(installations + "12/crtbegin.o", "");
  write_kernel(project_, "a.hip", "#include <value.h>\n");
  const Arguments argv = command("-O1 --gcc-toolchain=" + (project_ / "gcc"));
  warm(argv);
  project_.write(installations + "11/crtbegin.o", "");
  expect_runs({.probe = 1}, argv);
  project_.write(installations + "13/crtbegin.o", "");
  expect_runs({.device = 2, .bundle = 1, .host = 1, .probe = 1}, argv);
  fs::remove_all(project_ / (installations + "13"));
  fs::remove_all(project_ / (installations + "11"));
  expect_hit(argv);
}

TEST_P(ToolchainStaleness, ADetectedVersionOfRocmIsAnInput) {
  const auto write_version = [this](const std::string& major, const std::string& minor) {
    const std::string text = "HIP_VERSION_MAJOR=" + major + "\nHIP_VERSION_MINOR=" + minor + "\nHIP_VERSION_PATCH=1\n";
    project_.write("rocm/bin/.hipVersion", text);
    project_.write("rocm/share/hip/version", text);
  };
  Arguments argv = command();
  for (std::string& argument : argv)
    if (argument.starts_with("--rocm-path=")) argument = "--rocm-path=" + (project_ / "rocm");
  project_.write("rocm/include/hip/hip_version.h", "");
  write_version("5", "2");
  warm(argv);
  write_version("5", "3");
  expect_runs({.probe = 1}, argv);
  // Before version 3.6, clang's search path has no wrapper of the runtime's headers.
  write_version("3", "5");
  expect_runs({.device = 2, .host = 1, .probe = 1}, argv);
}

// With the toolchain's directory as base directory: only the driver runs, for a new plan.
TEST_P(ToolchainStalenessByOneCompiler, ACompilerOfEqualBytesInAnotherDirectorySharesAllStepsUnderABaseDirectory) {
  const Toolchain other(GetParam());
  const auto under = [](const Toolchain& toolchain) { return Variables{{"HIPCACHE_BASEDIR", toolchain.path()}}; };
  warm(toolchain_.compile(), under(toolchain_));
  expect_runs({.probe = 1}, other.compile(), under(other));
  expect_hit(other.compile(), under(other));
  const Toolchain changed(GetParam());
  changed.append_byte("bin/clang");
  expect_runs(kCompilerChanged, changed.compile(), under(changed));
}

INSTANTIATE_TEST_SUITE_P(Compilers, ToolchainStaleness, testing::ValuesIn(kCompilers), name_of);
INSTANTIATE_TEST_SUITE_P(Compilers, ToolchainStalenessByOneCompiler, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
