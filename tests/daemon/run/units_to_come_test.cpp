#include "daemon/run/units_to_come.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "support/scratch.h"

namespace hipcache::daemon {
namespace {

namespace fs = std::filesystem;

// Builds that CMake itself describes, in a directory below the source's. It takes the sources of HIP for C++.
class UnitsToCome : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    scratch_.write("CMakeLists.txt",
                   "cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES NONE)\n"
                   "set(CMAKE_CXX_COMPILER c++)\nenable_language(CXX)\nadd_subdirectory(src)\n");
    fs::create_directory(scratch_ / "src");
    scratch_.write("src/CMakeLists.txt",
                   "add_library(one STATIC a.cpp more/b.cpp \"c d.cpp\")\n"
                   "add_library(other STATIC a.cpp)\n"
                   "set_source_files_properties(d.hip e.hip PROPERTIES LANGUAGE CXX)\n"
                   "add_library(kernels STATIC d.hip)\n"
                   "add_library(more_kernels STATIC d.hip e.hip)\n");
    fs::create_directory(scratch_ / "src/more");
    for (const char* name : {"src/a.cpp", "src/more/b.cpp", "src/c d.cpp", "src/d.hip", "src/e.hip"})
      scratch_.write(name, "");
    const std::string command = "cmake -S '" + scratch_.path() + "' -B '" + build() + "' -G '" + GetParam() +
                                "' -DCMAKE_CXX_COMPILER_WORKS=1 > /dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0);
  }

  std::string build() const { return scratch_ / "build"; }
  bool is_ninja() const { return GetParam() == std::string("Ninja"); }
  // As CMake's rules call it: ninja works in the build directory, make in the target's.
  std::string working_directory() const { return is_ninja() ? build() : build() + "/src"; }
  std::string object(const std::string& name) const { return (is_ninja() ? "src/" : "") + ("CMakeFiles/" + name); }

  std::size_t to_come(const std::string& name, const std::vector<std::string>& command = {}) const {
    return objects_to_come(object(name), working_directory(), command);
  }
  void make(const std::string& name) const {
    const fs::path path = working_directory() + "/" + object(name);
    fs::create_directories(path.parent_path());
    scratch_.write(path.lexically_relative(scratch_.path()).string(), "object");
  }

  support::Scratch scratch_;
};

TEST_P(UnitsToCome, AreTheObjectsOfTheTarget) {
  EXPECT_EQ(to_come("one.dir/a.cpp.o"), 3u);
  EXPECT_EQ(to_come("one.dir/more/b.cpp.o"), 3u);
  EXPECT_EQ(to_come("other.dir/a.cpp.o"), 1u);
  make("other.dir/a.cpp.o");
  EXPECT_EQ(to_come("one.dir/a.cpp.o"), 3u) << "another target may have other options";
}

TEST_P(UnitsToCome, OfHipAreTheObjectsOfAllTargets) {
  EXPECT_EQ(to_come("kernels.dir/d.hip.o"), 3u);
  EXPECT_EQ(to_come("more_kernels.dir/e.hip.o"), 3u);
  make("kernels.dir/d.hip.o");
  EXPECT_EQ(to_come("more_kernels.dir/e.hip.o"), 0u);
}

TEST_P(UnitsToCome, AreUnknownInABuildThatHasBegunBefore) {
  make("one.dir/more/b.cpp.o");
  EXPECT_EQ(to_come("one.dir/a.cpp.o"), 0u);
}

TEST_P(UnitsToCome, AreUnknownOfAnObjectThatTheBuildDoesNotName) {
  EXPECT_EQ(to_come("one.dir/absent.cpp.o"), 0u);
  EXPECT_EQ(to_come("absent.dir/a.cpp.o"), 0u);
  EXPECT_EQ(objects_to_come("a.cpp.o", working_directory(), {}), 0u);
  EXPECT_EQ(objects_to_come("", working_directory(), {}), 0u);
  EXPECT_EQ(objects_to_come(object("one.dir/a.cpp.o"), scratch_.path(), {}), 0u) << "no description there";
}

TEST_P(UnitsToCome, AreUnknownIfTheBuildToolMakesSingleObjects) {
  EXPECT_EQ(to_come("one.dir/a.cpp.o", {"ninja", "-j3", "all"}), 3u);
  EXPECT_EQ(to_come("one.dir/a.cpp.o", {"make", "-f", "CMakeFiles/one.dir/build.make", "CMakeFiles/one.dir/build"}),
            3u);
  EXPECT_EQ(to_come("one.dir/a.cpp.o", {"ninja", "CMakeFiles/one.dir/a.cpp.o"}), 0u);
  EXPECT_EQ(to_come("one.dir/a.cpp.o", {"ninja", "../src/a.cpp^"}), 0u);
}

INSTANTIATE_TEST_SUITE_P(Generators, UnitsToCome, testing::Values("Ninja", "Unix Makefiles"),
                         [](const auto& of) { return of.param == std::string("Ninja") ? "Ninja" : "Make"; });

}  // namespace
}  // namespace hipcache::daemon
