// HIP in CMake, by the targets of ROCm's package and in CMake's own HIP language. Compiles and links of relocatable
// device code go through launchers and share by architecture. The programs are those that the compiler alone makes.
#include <gtest/gtest.h>

#include "integration/support/cache.h"
#include "integration/support/compiler.h"

namespace hipcache::integration {
namespace {

class CMakeHip : public testing::TestWithParam<Compiler> {
 protected:
  // Two units with ids of their own, so that every build runs the same compiles.
  CMakeHip() {
    write_kernel(project_, "a.cpp", "int main() { launch(nullptr); }\n");
    project_.write("b.cpp", "#include \"runtime.h\"\n__global__ void other(float* data) { data[0] = 1; }\n");
    EXPECT_EQ(cache_.control("--start-server").exit_code, 0);
  }

  // `language`: the lines for ROCm's package or for CMake's HIP language.
  void write_project(const std::string& language, const std::string& flags) const {
    project_.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.25)\n" + language +
                                         "set_source_files_properties(a.cpp PROPERTIES COMPILE_OPTIONS -cuid=a)\n"
                                         "set_source_files_properties(b.cpp PROPERTIES COMPILE_OPTIONS -cuid=b)\n"
                                         "target_compile_options(app PRIVATE -O1 -nogpuinc " +
                                         flags + " ${PLACES})\ntarget_link_options(app PRIVATE " + flags +
                                         " ${PLACES})\n");
  }
  static constexpr const char* kPackage =
      "project(app CXX)\nfind_package(hip REQUIRED CONFIG)\n"
      "add_executable(app a.cpp b.cpp)\ntarget_link_libraries(app PRIVATE hip::device)\n";

  void configure(const Arguments& settings) const {
    const Ended ended = run(words("cmake -G Ninja -S . -B build") + settings, project_.path(), cache_.variables());
    ASSERT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  }

  // The package needs the compiler's own library of builtins, which Debian has for clang 15 alone.
  void configure_package(const std::string& archs) const {
    const std::string builtins = run(words("clang-15 --rtlib=compiler-rt -print-libgcc-file-name"), "/").out;
    configure({"-DCMAKE_CXX_COMPILER=/usr/bin/" + GetParam().program(), "-DGPU_TARGETS=" + archs,
               "-DPLACES=-B" + GetParam().tools() +
                   ";--rocm-path=/usr;--rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode",
               "-DCLANGRT_BUILTINS=" + builtins.substr(0, builtins.find('\n')),
               "-DCMAKE_CXX_COMPILER_LAUNCHER=" + hipcache_program(),
               "-DCMAKE_CXX_LINKER_LAUNCHER=" + hipcache_program()});
  }

  Counts build(const Variables& variables = {}) {
    EXPECT_EQ(run(words("ninja -C build clean"), project_.path()).exit_code, 0);
    const Counts before = cache_.counts();
    const Ended ended = run(words("ninja -C build"), project_.path(), cache_.variables(variables));
    EXPECT_EQ(ended.exit_code, 0) << ended.out;
    program_ = support::read_bytes(project_ / "build/app");
    return cache_.counts() - before;
  }

  // Builds once without hipcache and twice with it, expects equal programs, and returns the counts of the first cached
  // build.
  Counts build_twice(std::int64_t hits) {
    build({{"HIPCACHE_DISABLE", "1"}});
    const std::string expected = program_;
    const Counts first = build();
    EXPECT_TRUE(program_ == expected);
    const Counts second = build();
    EXPECT_TRUE(program_ == expected);
    EXPECT_EQ(second.hits, hits);
    EXPECT_EQ(second.misses + second.partials + second.errors, 0);
    return first;
  }

  support::Scratch project_;
  Cache cache_;
  std::string program_;
};

TEST_P(CMakeHip, TheTargetOfThePackageCompilesByArchitecture) {
  write_project(kPackage, "");
  configure_package("gfx906");
  const Counts cold = build_twice(3);
  EXPECT_EQ(cold.misses, 3);
  EXPECT_EQ(cold.run.at("device gfx906"), 2);
  EXPECT_EQ(cold.run.at("link"), 1) << "the host's, whole";
  configure_package("gfx906;gfx1030");
  const Counts added = build();
  EXPECT_EQ(added.partials, 2);
  EXPECT_EQ(added.run.at("device"), 2);
  EXPECT_EQ(added.run.at("device gfx1030"), 2);
}

TEST_P(CMakeHip, ALinkerLauncherLinksRelocatableCodeByArchitecture) {
  write_project(kPackage, "-fgpu-rdc");
  configure_package("gfx906");
  const Counts cold = build_twice(3);
  EXPECT_EQ(cold.misses, 3);
  EXPECT_EQ(cold.run.at("device gfx906"), 3) << "two compiles and the link";
  configure_package("gfx906;gfx1030");
  const Counts added = build();
  EXPECT_EQ(added.run.at("device"), 3);
  EXPECT_EQ(added.run.at("device gfx1030"), 3);
  EXPECT_EQ(added.run.at("link"), 1);
}

// CMake has linker launchers for C and C++; 3.25 ignores CMAKE_HIP_LINKER_LAUNCHER. A rule launcher serves all links.
TEST_P(CMakeHip, ARuleForLinksIsTheLauncherOfCMakesOwnLanguage) {
  write_project(
      "project(app HIP)\nset_property(GLOBAL PROPERTY RULE_LAUNCH_LINK ${CMAKE_HIP_COMPILER_LAUNCHER})\n"
      "set_source_files_properties(a.cpp b.cpp PROPERTIES LANGUAGE HIP)\nadd_executable(app a.cpp b.cpp)\n",
      "-fgpu-rdc --hip-link");
  const std::string root = project_.make_directory("hip-root");
  ASSERT_EQ(run({HIPCACHE_SOURCE "/fixtures/hip-root/make", root}, "/").exit_code, 0);
  configure({"-DCMAKE_TOOLCHAIN_FILE=" + root + "/clang-" + GetParam().version + ".cmake",
             "-DCMAKE_HIP_ARCHITECTURES=gfx906", "-DCMAKE_HIP_COMPILER_LAUNCHER=" + hipcache_program()});
  const Counts cold = build_twice(3);
  EXPECT_EQ(cold.misses, 3);
  EXPECT_EQ(cold.run.at("device gfx906"), 3);
}

INSTANTIATE_TEST_SUITE_P(Compilers, CMakeHip, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
