// A toolchain in a directory of another name: with equal bytes only the plan runs again, unless a result shows the
// directory.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "integration/staleness/support/toolchain.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBitcode = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode";

class ToolchainRoot : public Staleness {
 protected:
  static inline const Steps kPlanAlone{.probe = 1};
  // All steps that make code run. Whether the bundle runs depends on what they make.
  void expect_compiles(const Arguments& argv) {
    const Counts counted = check(argv);
    EXPECT_EQ(counted.run.at("device"), 2) << counted.json.dump();
    EXPECT_EQ(counted.run.at("host"), 1);
  }

  // The layout of ROCm: lib/llvm with the compiler, include, amdgcn/bitcode, and llvm, a link to lib/llvm.
  void make_rocm(const std::string& name) const {
    const Toolchain toolchain(GetParam());
    fs::create_directories(project_ / (name + "/lib"));
    fs::copy(toolchain.path(), project_ / (name + "/lib/llvm"),
             fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    project_.link(name + "/llvm", "lib/llvm");
    project_.write(name + "/include/hip/own.h", "#pragma once\n#define OWN 1\n");
    // The largest library; must exist, but is not read for HIP.
    project_.write(name + "/amdgcn/bitcode/opencl.bc", "");
    for (const auto& entry : fs::directory_iterator(kBitcode))
      if (const std::string file = entry.path().filename(); file != "opencl.bc")
        fs::copy_file(entry.path(), fs::path(project_ / (name + "/amdgcn/bitcode")) / file);
  }

  Arguments by_rocm(const std::string& name, const std::string& flags = "-O1") const {
    const std::string rocm = project_ / name;
    return Arguments{rocm + "/llvm/bin/clang++"} +
           words("-x hip -std=c++17 -nogpuinc --rocm-path=" + rocm + " --rocm-device-lib-path=" + rocm +
                 "/amdgcn/bitcode -I" + rocm + "/include") +
           archs({"gfx906", "gfx1030"}) + words(flags + " -c a.hip -o a.o");
  }

  void include(const std::string& more) const {
    project_.write("a.hip", support::read_bytes(project_ / "a.hip") + "\n#include <hip/own.h>\n" + more);
  }
};

// What no compiler decides.
class ToolchainRootByOneCompiler : public ToolchainRoot {};

TEST_P(ToolchainRoot, WithTheSameBytesCostsThePlanAlone) {
  const Toolchain one(GetParam()), other(GetParam());
  warm(one.compile());
  expect_runs(kPlanAlone, other.compile());
  expect_hit(other.compile());
  expect_hit(one.compile());
}

TEST_P(ToolchainRootByOneCompiler, WithAnotherCompilerIsAnother) {
  const Toolchain one(GetParam()), other(GetParam());
  other.append_byte("bin/clang");
  warm(one.compile());
  expect_compiles(other.compile());
}

TEST_P(ToolchainRoot, IsTheSameForTwoReleasesOfRocm) {
  make_rocm("rocm-7.0");
  make_rocm("rocm-7.0.1");
  include("");
  warm(by_rocm("rocm-7.0"));
  expect_runs(kPlanAlone, by_rocm("rocm-7.0.1"));
}

TEST_P(ToolchainRootByOneCompiler, BehindALinkIsTheSameForTwoReleasesOfRocm) {
  make_rocm("rocm-7.0");
  make_rocm("rocm-7.0.1");
  include("");
  project_.link("rocm", "rocm-7.0");
  warm(by_rocm("rocm"));
  project_.link("rocm", "rocm-7.0.1");
  expect_runs(kPlanAlone, by_rocm("rocm"));
  expect_runs(kPlanAlone, by_rocm("rocm-7.0"));
}

TEST_P(ToolchainRoot, WithOneByteOfADeviceLibraryRunsTheDevices) {
  make_rocm("rocm-7.0");
  make_rocm("rocm-7.0.1");
  warm(by_rocm("rocm-7.0"));
  // A constant that the code does not use: another file, read as before.
  fs::copy_file(std::string(kBitcode) + "/oclc_finite_only_on.bc",
                project_ / "rocm-7.0.1/amdgcn/bitcode/oclc_finite_only_off.bc", fs::copy_options::overwrite_existing);
  EXPECT_EQ(check(by_rocm("rocm-7.0.1")).run.at("device"), 2);
}

TEST_P(ToolchainRootByOneCompiler, WithAnotherHeaderIsAnother) {
  make_rocm("rocm-7.0");
  make_rocm("rocm-7.0.1");
  include("__device__ int own = OWN;\nint host_own = OWN;\n");
  warm(by_rocm("rocm-7.0"));
  project_.write("rocm-7.0.1/include/hip/own.h", "#pragma once\n#define OWN 2\n");
  expect_compiles(by_rocm("rocm-7.0.1"));
}

// A header that only one of them has, and that comes first there.
TEST_P(ToolchainRootByOneCompiler, WithAnotherHeaderInTheWayIsAnother) {
  make_rocm("rocm-7.0");
  make_rocm("rocm-7.0.1");
  project_.write("more/hip/late.h", "#define LATE 1\n");
  include("#include <hip/late.h>\n__device__ int late = LATE;\n");
  const std::string flags = "-O1 -I" + (project_ / "more");
  warm(by_rocm("rocm-7.0", flags));
  project_.write("rocm-7.0.1/include/hip/late.h", "#define LATE 2\n");
  EXPECT_EQ(check(by_rocm("rocm-7.0.1", flags)).run.at("device"), 2);
}

// The host's debug information names a function's header; the code objects name none here.
TEST_P(ToolchainRoot, InDebugInformationTiesTheResult) {
  for (const char* name : {"rocm-7.0", "rocm-7.0.1"}) {
    make_rocm(name);
    project_.write(std::string(name) + "/include/hip/own.h",
                   "#pragma once\nstatic inline int own(int x) { return 3 * x; }\n");
  }
  include("int more(int x) { return own(x); }\n");
  warm(by_rocm("rocm-7.0", "-O1 -g"));
  EXPECT_EQ(check(by_rocm("rocm-7.0.1", "-O1 -g")).run.at("host"), 1);
}

TEST_P(ToolchainRoot, InItsOwnNameTiesTheResult) {
  for (const char* name : {"rocm-7.0", "rocm-7.0.1"}) {
    make_rocm(name);
    project_.write(std::string(name) + "/include/hip/own.h",
                   "#pragma once\nstatic inline __device__ unsigned long own() { return sizeof(__FILE__); }\n");
  }
  include("__global__ void more(unsigned long* to) { *to = own(); }\n");
  warm(by_rocm("rocm-7.0"));
  check(by_rocm("rocm-7.0.1"));
}

TEST_P(ToolchainRootByOneCompiler, ByTwoNamesInTurnIsToldByWhichOne) {
  make_rocm("rocm-7.0");
  project_.link("rocm", "rocm-7.0");
  project_.write("rocm-7.0/include/hip/own.h", "#pragma once\nstatic inline const char* own() { return __FILE__; }\n");
  include("const char* where = own();\n");
  for (int time = 0; time < 2; ++time)
    for (const char* name : {"rocm", "rocm-7.0"}) check(by_rocm(name));
}

TEST_P(ToolchainRootByOneCompiler, ByTwoNamesOnThePathIsToldByWhichOne) {
  make_rocm("rocm-7.0");
  project_.link("rocm", "rocm-7.0");
  project_.write("rocm-7.0/lib/llvm/include/own.h", "static inline const char* own() { return __FILE__; }\n");
  project_.write("a.hip", "const char* where = __FILE__;\n" + support::read_bytes(project_ / "a.hip"));
  for (int time = 0; time < 2; ++time)
    for (const char* name : {"rocm", "rocm-7.0"})
      check(Toolchain::compile_by("clang++", "-O1 -g"), {{"PATH", (project_ / name) + "/llvm/bin:/usr/bin:/bin"}});
}

// One toolchain's compiler reads the other toolchain's headers.
TEST_P(ToolchainRootByOneCompiler, NextToAnotherInTheSearchPathAreTwo) {
  make_rocm("rocm-7.0");
  make_rocm("rocm-7.0.1");
  project_.write("rocm-7.0.1/include/hip/own.h", "#pragma once\n#define OWN 2\n");
  include("__device__ int own = OWN;\n");
  const auto with_headers_of = [&](const std::string& compiler, const std::string& headers) {
    Arguments argv = by_rocm(compiler);
    for (std::string& word : argv)
      if (word.starts_with("-I")) word = "-I" + (project_ / headers) + "/include";
    return argv;
  };
  warm(with_headers_of("rocm-7.0", "rocm-7.0"));
  EXPECT_EQ(check(with_headers_of("rocm-7.0.1", "rocm-7.0")).run.at("device"), 2);
  EXPECT_EQ(check(with_headers_of("rocm-7.0", "rocm-7.0.1")).run.at("device"), 2);
  check(with_headers_of("rocm-7.0.1", "rocm-7.0.1"));
}

// A program that contains its directory's path leads there, wherever the program is.
TEST_P(ToolchainRootByOneCompiler, ThatAProgramNamesTiesWhatItRuns) {
  const Toolchain one(GetParam()), other(GetParam());
  for (const Toolchain* toolchain : {&one, &other}) {
    std::ofstream(*toolchain / "bin/clang", std::ios::binary | std::ios::app) << one.path() << "/share";
  }
  warm(one.compile());
  EXPECT_EQ(check(other.compile()).run.at("device"), 2);
}

TEST_P(ToolchainRootByOneCompiler, WithinABaseDirectoryIsTheNarrowerOne) {
  make_rocm("rocm-7.0");
  make_rocm("sub/rocm-7.0.1");
  include("");
  const Variables base{{"HIPCACHE_BASEDIR", project_.path()}};
  warm(by_rocm("rocm-7.0"), base);
  expect_runs(kPlanAlone, by_rocm("sub/rocm-7.0.1"), base);
}

INSTANTIATE_TEST_SUITE_P(Compilers, ToolchainRoot, testing::ValuesIn(kCompilers), name_of);
INSTANTIATE_TEST_SUITE_P(Compilers, ToolchainRootByOneCompiler, testing::ValuesIn(kOneCompiler), name_of);

// gcc's compile is one step; its toolchain's directory is found in the same way.
class GccRoot : public testing::Test {
 protected:
  GccRoot() { project_.write("a.c", "#include <stddef.h>\nsize_t one(void) { return sizeof(max_align_t); }\n"); }

  std::string make_gcc(const std::string& name) const {
    const fs::path installed = "/usr/lib/gcc/x86_64-linux-gnu/12";
    const fs::path own = name + "/lib/gcc/x86_64-linux-gnu/12";
    std::string program = project_ / (name + "/bin/gcc");
    fs::create_directories(project_ / (name + "/bin"));
    fs::copy_file(fs::canonical("/usr/bin/gcc-12"), program);
    for (const auto& entry : fs::directory_iterator(installed))
      if (const std::string file = entry.path().filename(); file != "include")
        project_.link((own / file).string(), entry.path().string());
    fs::copy(installed / "include", project_ / (own / "include").string(), fs::copy_options::recursive);
    return program;
  }

  Counts compile(const std::string& gcc, const std::string& flags) {
    return oracle_.check(Arguments{gcc} + words(flags + " -c a.c -o a.o"));
  }

  support::Scratch project_;
  Cache cache_;
  Oracle oracle_{cache_, project_.path()};
};

TEST_F(GccRoot, WithTheSameBytesIsAHit) {
  const std::string one = make_gcc("gcc-12"), other = make_gcc("gcc-12.1");
  EXPECT_EQ(compile(one, "-O1").misses, 1);
  EXPECT_EQ(compile(other, "-O1").hits, 1);
}

TEST_F(GccRoot, InDebugInformationTiesTheResult) {
  const std::string one = make_gcc("gcc-12"), other = make_gcc("gcc-12.1");
  project_.write("a.c", "#include <stddef.h>\nmax_align_t here;\n");
  EXPECT_EQ(compile(one, "-g").misses, 1);
  EXPECT_EQ(compile(other, "-g").misses, 1);
}

}  // namespace
}  // namespace hipcache::integration
