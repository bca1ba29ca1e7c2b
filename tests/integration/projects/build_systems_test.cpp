// hipcache with make, CMake and ninja, unity builds and a jobserver. Tests what runs again and what hits. The objects
// must be those of a build without hipcache.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "hipcache/base/files.h"
#include "integration/support/cache.h"
#include "integration/support/compiler.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class BuildSystems : public testing::TestWithParam<Compiler> {
 protected:
  // Three units, two of which include the header. Their objects do not depend on the translation unit's id.
  BuildSystems() {
    write_runtime(project_);
    project_.write("shared.h", "#define SHARED 1\n");
    for (const std::string name : {"a", "b", "c"})
      project_.write(name + ".cpp", "#include \"runtime.h\"\n" +
                                        std::string(name == "c" ? "" : "#include \"shared.h\"\n") +
                                        "__global__ void kernel_" + name + "(float* x) { x[0] = 2; }\n");
    project_.write("CMakeLists.txt", R"(cmake_minimum_required(VERSION 3.25)
project(kernels CXX)
include(CheckCXXSourceCompiles)
check_cxx_source_compiles("int main() { return 0; }" MAIN_COMPILES)
if(NOT MAIN_COMPILES)
  message(FATAL_ERROR "nothing compiles")
endif()
add_library(kernels STATIC a.cpp b.cpp c.cpp)
target_compile_options(kernels PRIVATE ${FLAGS})
)");
    project_.write("Makefile", R"(objects = a.o b.o c.o
all: $(objects)
%.o: %.cpp
	+$(LAUNCHER) $(CXX) $(FLAGS) -MMD -c $< -o $@
clean:
	rm -f *.o *.d
-include *.d
)");
  }

  std::string flags(const char* between) const {
    const Arguments all = GetParam().hip() + words("--offload-arch=gfx906 -fuse-cuid=none");
    std::string text;
    for (std::size_t i = 1; i < all.size(); ++i) text += (i == 1 ? "" : between) + all[i];
    return text;
  }

  // Runs a tool; its result is in ended_. Returns what hipcache counted meanwhile.
  Counts tool(const Arguments& argv) {
    const Counts before = cache_.counts();
    ended_ = run(argv, project_.path(), cache_.variables());
    EXPECT_EQ(ended_.exit_code, 0) << ended_.out << ended_.err;
    return cache_.counts() - before;
  }

  Counts configure(const std::string& build, const Arguments& settings) {
    return tool(words("cmake -G Ninja -S . -B " + build) + Arguments{"-DFLAGS=" + flags(";")} + settings);
  }
  Arguments with_compiler() const { return {"-DCMAKE_CXX_COMPILER=/usr/bin/" + GetParam().program()}; }
  Arguments with_launcher() const {
    return with_compiler() + Arguments{"-DCMAKE_CXX_COMPILER_LAUNCHER=" + hipcache_program()};
  }
  Counts ninja(const std::string& build) { return tool({"ninja", "-j2", "-C", build}); }

  Counts make(const std::string& target, const std::string& launcher) {
    return tool({"make", "--no-print-directory", "-j2", target, "LAUNCHER=" + launcher, "CXX=" + GetParam().program(),
                 "FLAGS=" + flags(" ")});
  }

  std::map<std::string, std::string> objects(const std::string& build) const {
    std::map<std::string, std::string> bytes;
    for (const auto& entry : fs::recursive_directory_iterator(project_ / build))
      if (entry.path().extension() == ".o" && entry.path().string().find("kernels.dir") != std::string::npos)
        bytes[entry.path().filename()] = support::read_bytes(entry.path());
    return bytes;
  }

  support::Scratch project_;
  Cache cache_;
  Ended ended_;
};

TEST_P(BuildSystems, MakeBuildsTheSameObjectsAndThenOutOfTheCache) {
  make("all", "");
  std::map<std::string, std::string> expected;
  for (const char* object : {"a.o", "b.o", "c.o"}) expected[object] = support::read_bytes(project_ / object);
  make("clean", "");
  EXPECT_EQ(make("all", hipcache_program()).misses, 3);
  make("clean", "");
  EXPECT_EQ(make("all", hipcache_program()).hits, 3);
  for (const auto& [object, bytes] : expected) EXPECT_TRUE(support::read_bytes(project_ / object) == bytes) << object;
  project_.write("shared.h", "#define SHARED 2 // edited\n");
  const Counts edited = make("all", hipcache_program());
  EXPECT_EQ(edited.hits + edited.misses + edited.partials, 2) << "the depfiles out of the cache name the header";
}

TEST_P(BuildSystems, AJobserverGetsAllItsTokensBackAndTheDaemonHoldsNoneOfItsDescriptors) {
  const std::string two_archs = "FLAGS=" + flags(" ") + " --offload-arch=gfx1030";
  ended_ = run({"make", "-j2", "LAUNCHER=" + hipcache_program(), "CXX=" + GetParam().program(), two_archs},
               project_.path(), cache_.variables());  // its first compile starts the daemon
  EXPECT_EQ(ended_.exit_code, 0);
  EXPECT_EQ(ended_.err, "") << "make says so if it misses a token";
  const pid_t daemon = cache_.daemon();
  ASSERT_NE(daemon, 0);
  for (const auto& entry : fs::directory_iterator("/proc/" + std::to_string(daemon) + "/fd")) {
    std::error_code closed;
    EXPECT_THAT(fs::read_symlink(entry.path(), closed).string(), Not(HasSubstr("pipe:")));
  }
}

TEST_P(BuildSystems, NinjaRebuildsTheUnitsThatNameAHeaderAndFindsThoseThatCameOutTheSame) {
  configure("plain", with_compiler());
  ninja("plain");
  configure("build", with_launcher());
  EXPECT_EQ(ninja("build").misses, 3);
  EXPECT_EQ(objects("build").size(), 3u);
  EXPECT_TRUE(objects("build") == objects("plain"));

  const Counts nothing = ninja("build");
  EXPECT_THAT(ended_.out, HasSubstr("no work to do"));
  EXPECT_EQ(nothing.hits + nothing.misses + nothing.partials + nothing.passed, 0);

  fs::last_write_time(project_ / "shared.h", fs::file_time_type::clock::now() + std::chrono::seconds(1));
  const Counts touched = ninja("build");
  EXPECT_EQ(touched.hits, 2);
  EXPECT_EQ(touched.misses + touched.partials + touched.passed, 0);
}

TEST_P(BuildSystems, AUnityBuildIsOneCompile) {
  const Arguments unity{"-DCMAKE_UNITY_BUILD=ON"};
  configure("plain", with_compiler() + unity);
  ninja("plain");
  configure("build", with_launcher() + unity);
  EXPECT_EQ(ninja("build").misses, 1);
  tool({"ninja", "-C", "build", "clean"});
  EXPECT_EQ(ninja("build").hits, 1);
  EXPECT_EQ(objects("build").size(), 1u);
}

TEST_P(BuildSystems, CMakeFindsOutTheSameOfALinkToHipcacheAsOfTheCompiler) {
  const std::string link = project_.link("names/" + GetParam().program(), hipcache_program());
  configure("plain", with_compiler());
  const Counts checks = configure("build", {"-DCMAKE_CXX_COMPILER=" + link});
  EXPECT_EQ(checks.errors, 0);
  const auto found = [this](const std::string& build) {
    std::string text;
    for (const auto& entry : fs::recursive_directory_iterator(project_ / (build + "/CMakeFiles")))
      if (entry.path().filename() == "CMakeCXXCompiler.cmake") text = support::read_bytes(entry.path());
    return text.substr(text.find("set(CMAKE_CXX_COMPILER_ID "));
  };
  EXPECT_EQ(found("build"), found("plain"));
  EXPECT_EQ(ninja("build").misses, 3);
}

// Meson users put the launcher into CXX as a word. Meson's checks of the compiler then use it too.
TEST_P(BuildSystems, MesonTakesTheLauncherForAPartOfTheCompiler) {
  std::string list;
  for (const std::string& flag : words(flags(" "))) list += (list.empty() ? "'" : ", '") + flag + "'";
  project_.write(
      "meson.build",
      "project('kernels', 'cpp')\nstatic_library('kernels', 'a.cpp', 'b.cpp', 'c.cpp', cpp_args: [" + list + "])\n");
  Variables variables = cache_.variables();
  variables["CXX"] = hipcache_program() + " " + GetParam().program();
  const Ended set_up = run(words("meson setup build"), project_.path(), variables);
  EXPECT_EQ(set_up.exit_code, 0) << set_up.out << set_up.err;
  EXPECT_EQ(ninja("build").misses, 3);
  tool({"ninja", "-C", "build", "clean"});
  EXPECT_EQ(ninja("build").hits, 3);
}

// automake's own rules, with the launcher as a part of CXX. configure's checks of the compiler then use it too.
TEST_P(BuildSystems, AutotoolsTakeTheLauncherForAPartOfTheCompiler) {
  project_.write("configure.ac",
                 "AC_INIT([kernels], [1])\nAM_INIT_AUTOMAKE([foreign])\nAC_PROG_CXX\nAM_PROG_AR\nAC_PROG_RANLIB\n"
                 "AC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n");
  project_.write("Makefile.am",
                 "noinst_LIBRARIES = libkernels.a\nlibkernels_a_SOURCES = a.cpp b.cpp c.cpp\n"
                 "libkernels_a_CXXFLAGS = $(KERNEL_FLAGS)\n");
  tool({"autoreconf", "--install"});
  project_.make_directory("build");
  tool({"sh", "-c",
        "cd build && ../configure CXX='" + hipcache_program() + " " + GetParam().program() + "' KERNEL_FLAGS='" +
            flags(" ") + "'"});
  const Arguments build{"make", "-j2", "-C", "build", "KERNEL_FLAGS=" + flags(" ")};
  EXPECT_EQ(tool(build).misses, 3);
  tool({"make", "-C", "build", "clean"});
  const Counts warm = tool(build);
  EXPECT_EQ(warm.hits, 3);
  EXPECT_EQ(warm.misses + warm.partials + warm.passed, 0);
}

// Newer hipccs put HIP_CLANG_LAUNCHER in front of the clang that they run. Debian 12's does not know the variable, so
// this one stands in for them: it does what they do with the variable, and nothing else.
TEST_P(BuildSystems, ALauncherThatHipccPutsBeforeClangIsAsGoodAsOneBeforeHipcc) {
  const std::string hipcc = project_.write(
      "bin/hipcc", "#!/bin/sh\n\"$HIP_CLANG_LAUNCHER\" \"$HIP_CLANG_PATH/" + GetParam().program() + "\" \"$@\"\n");
  fs::permissions(hipcc, fs::perms::owner_all);
  const auto make_all = [&] {
    return tool({"env", "HIP_CLANG_LAUNCHER=" + hipcache_program(), "HIP_CLANG_PATH=/usr/bin", "make",
                 "--no-print-directory", "-j2", "all", "LAUNCHER=", "CXX=" + hipcc, "FLAGS=" + flags(" ")});
  };
  EXPECT_EQ(make_all().misses, 3);
  make("clean", "");
  const Counts warm = make_all();
  EXPECT_EQ(warm.hits, 3);
  EXPECT_EQ(warm.misses + warm.partials + warm.passed, 0);
}

INSTANTIATE_TEST_SUITE_P(Compilers, BuildSystems, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
