// Whole CMake builds with a launcher for compiles and links: after a clean, no step runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <tuple>

#include "integration/support/cache.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

// Parameters: generator, C++ compiler.
class CMakeLinks : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  CMakeLinks() {
    project_.write("CMakeLists.txt", R"(cmake_minimum_required(VERSION 3.25)
project(links CXX)
if(DEFINED LAUNCHER)
  set_property(GLOBAL PROPERTY RULE_LAUNCH_LINK ${LAUNCHER})
endif()
add_library(fixed STATIC one.cpp two.cpp)
add_library(shared SHARED three.cpp)
add_executable(program main.cpp)
target_link_libraries(program PRIVATE fixed shared)
)");
    project_.write("main.cpp", "int one(); int three();\nint main() { return one() + three(); }\n");
    project_.write("one.cpp", "int two();\nint one() { return two() - 1; }\n");
    project_.write("two.cpp", "int two() { return 2; }\n");
    project_.write("three.cpp", "int three() { return 3; }\n");
  }

  // Configures and builds in an empty directory. Returns what hipcache counted meanwhile.
  Counts build(const Arguments& settings) const {
    const auto& [generator, compiler] = GetParam();
    fs::remove_all(project_ / "build");
    const Counts before = cache_.counts();
    for (const Arguments& argv :
         {Arguments{"cmake", "-G", generator, "-S", ".", "-B", "build", "-DCMAKE_CXX_COMPILER=" + compiler} + settings,
          Arguments{"cmake", "--build", "build", "-j2"}}) {
      const Ended ended = run(argv, project_.path(), cache_.variables());
      EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
    }
    return cache_.counts() - before;
  }

  static Arguments launched() {
    return {"-DCMAKE_CXX_COMPILER_LAUNCHER=" + hipcache_program(), "-DLAUNCHER=" + hipcache_program()};
  }

  std::map<std::string, std::string> outputs() const {
    std::map<std::string, std::string> bytes;
    for (const char* name : {"libfixed.a", "libshared.so", "program"})
      bytes[name] = support::read_bytes(project_ / ("build/" + std::string(name)));
    return bytes;
  }

  support::Scratch project_;
  Cache cache_;
};

TEST_P(CMakeLinks, ACleanBuildIsAllHits) {
  build({});
  const auto expected = outputs();
  const Counts cold = build(launched());
  EXPECT_EQ(outputs(), expected);
  EXPECT_EQ(cold.run.at("host"), 4);
  EXPECT_EQ(cold.run.at("link"), 2);
  EXPECT_EQ(cold.run.at("archive"), 2) << "ar and ranlib";
  EXPECT_EQ(cold.passed, 0) << cold.json.at("not_cached_detail");
  EXPECT_THAT(cold.not_stored, testing::Each(testing::Pair(testing::_, 0))) << cold.json.dump();
  const Counts warm = build(launched());
  EXPECT_EQ(outputs(), expected);
  EXPECT_EQ(warm.hits, 8) << warm.json.dump();
  EXPECT_EQ(warm.misses, 0);
  EXPECT_EQ(warm.passed, 0);
  EXPECT_EQ(run({"build/program"}, project_.path()).exit_code, 4);
}

TEST_P(CMakeLinks, AnEditRelinksWhatHoldsIt) {
  build(launched());
  project_.write("two.cpp", "int two() { return 5; }\n");
  const Counts edited = build(launched());
  EXPECT_EQ(edited.run.at("host"), 1);
  EXPECT_EQ(edited.run.at("link"), 1);
  EXPECT_EQ(edited.run.at("archive"), 2);
  EXPECT_EQ(run({"build/program"}, project_.path()).exit_code, 7);
}

INSTANTIATE_TEST_SUITE_P(GeneratorsAndCompilers, CMakeLinks,
                         testing::Combine(testing::Values("Ninja", "Unix Makefiles"),
                                          testing::Values("g++", "clang++-19")),
                         [](const auto& both) {
                           std::string name = std::get<0>(both.param) + std::get<1>(both.param);
                           std::erase_if(name, [](unsigned char c) { return std::isalnum(c) == 0; });
                           return name + (std::get<1>(both.param) == "g++" ? "gcc" : "");
                         });

}  // namespace
}  // namespace hipcache::integration
