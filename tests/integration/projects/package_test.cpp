// hipcache's CMake package, from an installed tree: find_package(hipcache) and hipcache_enable(). The installed
// programs do all the work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "integration/support/cache.h"
#include "integration/support/compiler.h"

namespace hipcache::integration {
namespace {

using testing::HasSubstr;

// hipcache as users have it: installed by CMake, in a directory whose name has a blank.
class InstallTree {
 public:
  InstallTree() {
    const Ended installed = run({"cmake", "--install", HIPCACHE_BUILD_TREE, "--prefix", prefix()}, "/");
    EXPECT_EQ(installed.exit_code, 0) << installed.out << installed.err;
  }

  std::string prefix() const { return scratch_ / "with blank"; }
  std::string hipcache() const { return prefix() + "/" HIPCACHE_BIN_DIRECTORY "/hipcache"; }

 private:
  support::Scratch scratch_;
};

// Parameter: generator.
class Package : public testing::TestWithParam<std::string> {
 protected:
  Package() {
    EXPECT_EQ(run({HIPCACHE_SOURCE "/fixtures/hip-root/make", scratch_.make_directory("hip-root")}, "/").exit_code, 0);
  }
  ~Package() override {
    EXPECT_EQ(run({tree_.hipcache(), "--stop-server"}, "/", cache_.variables()).exit_code, 0);
    EXPECT_EQ(cache_.daemon(), 0) << "a program of the build tree was used";
  }

  // Three languages, two archives, a library and a program. `enable`: the lines before the targets and after them.
  std::string write_project(const std::string& name, const std::string& before, const std::string& after = "") const {
    write_kernel(scratch_, name + "/kernel.hip");
    scratch_.write(name + "/one.c", "int one(void) { return 1; }\n");
    scratch_.write(name + "/two.cpp", "extern \"C\" int one();\nint two() { return one() + 1; }\n");
    scratch_.write(name + "/main.cpp", "int two();\nint main() { return two(); }\n");
    scratch_.write(name + "/CMakeLists.txt",
                   "cmake_minimum_required(VERSION 3.25)\nfind_package(hipcache REQUIRED)\n"
                   "project(app C CXX HIP)\n" +
                       before +
                       "add_library(kernels STATIC kernel.hip)\n"
                       "target_compile_options(kernels PRIVATE -nogpuinc)\n"
                       "add_library(one STATIC one.c)\n"
                       "set_target_properties(one PROPERTIES POSITION_INDEPENDENT_CODE ON)\n"
                       "add_library(two SHARED two.cpp)\ntarget_link_libraries(two PRIVATE one)\n"
                       "add_executable(app main.cpp)\ntarget_link_libraries(app PRIVATE two)\n" +
                       after);
    return scratch_ / name;
  }

  Ended configure(const std::string& project, const Arguments& settings = {}) const {
    return run(Arguments{"cmake", "-G", GetParam(), "-S", ".", "-B", "build", "-DCMAKE_PREFIX_PATH=" + tree_.prefix(),
                         "-DCMAKE_TOOLCHAIN_FILE=" + (scratch_ / "hip-root/clang-19.cmake"),
                         "-DCMAKE_C_COMPILER=/usr/bin/clang-19", "-DCMAKE_HIP_ARCHITECTURES=gfx906;gfx1030"} +
                   settings,
               project, cache_.variables());
  }

  Counts counts() const {
    const Ended shown = run({tree_.hipcache(), "--show-stats", "--format", "json"}, "/", cache_.variables());
    EXPECT_EQ(shown.exit_code, 0) << shown.err;
    return counts_of(nlohmann::json::parse(shown.out));
  }

  // Builds everything; returns what was counted meanwhile.
  Counts build(const std::string& project) const {
    EXPECT_EQ(run(words("cmake --build build --target clean"), project).exit_code, 0);
    const Counts before = counts();
    const Ended ended = run(words("cmake --build build -j2"), project, cache_.variables());
    EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
    EXPECT_EQ(run({"build/app"}, project).exit_code, 2);
    return counts() - before;
  }

  static std::int64_t steps_run(const Counts& counted) {
    return std::accumulate(
        counted.run.begin(), counted.run.end(), std::int64_t{0},
        [](std::int64_t sum, const auto& kind) { return sum + (kind.first.starts_with("device ") ? 0 : kind.second); });
  }

  support::Scratch scratch_;
  InstallTree tree_;
  Cache cache_;
};

TEST_P(Package, EnabledForAProjectRunsNoStepOfAWarmBuild) {
  const std::string project = write_project("project", "hipcache_enable()\n");
  const Ended configured = configure(project);
  ASSERT_EQ(configured.exit_code, 0) << configured.out << configured.err;
  const Counts cold = build(project);
  EXPECT_EQ(cold.misses, 10) << "four compiles, two links, two archives by ar and ranlib: " << cold.json;
  EXPECT_EQ(cold.run.at("device"), 2);
  EXPECT_EQ(cold.run.at("host"), 4);
  EXPECT_EQ(cold.run.at("link"), 2);
  EXPECT_EQ(cold.run.at("archive"), 4);
  EXPECT_EQ(cold.passed, 0) << "ninja's cmake -E rm before an archive is none of the cache's: " << cold.json;
  const Counts warm = build(project);
  EXPECT_EQ(warm.hits, 10);
  EXPECT_EQ(warm.misses + warm.partials + steps_run(warm), 0) << warm.json;
  EXPECT_EQ(warm.passed, 0);
}

TEST_P(Package, EnabledForTargetsServesThemAlone) {
  const std::string project = write_project("project", "", "hipcache_enable(TARGET two kernels)\n");
  ASSERT_EQ(configure(project).exit_code, 0);
  const Counts cold = build(project);
  EXPECT_EQ(cold.misses, 5) << "two compiles, a link and an archive: " << cold.json;
  EXPECT_EQ(cold.passed, 0);
  const Counts warm = build(project);
  EXPECT_EQ(warm.hits, 5);
  EXPECT_EQ(steps_run(warm), 0);
}

TEST_P(Package, WithoutLinksServesCompilesAlone) {
  const std::string project = write_project("project", "hipcache_enable(NO_LINKS)\n");
  ASSERT_EQ(configure(project).exit_code, 0);
  EXPECT_EQ(build(project).misses, 4);
  const Counts warm = build(project);
  EXPECT_EQ(warm.hits, 4);
  EXPECT_EQ(warm.passed, 0);
}

TEST_P(Package, WithABaseDirectoryCheckoutsShareTheirResults) {
  const std::string alone = write_project("alone", "hipcache_enable(NO_LINKS)\n");
  const std::string enable = "hipcache_enable(BASEDIR ${CMAKE_CURRENT_SOURCE_DIR} NO_LINKS)\n";
  const std::string one = write_project("one", enable);
  const std::string two = write_project("two", enable);
  for (const std::string& project : {alone, one, two}) ASSERT_EQ(configure(project).exit_code, 0);
  EXPECT_EQ(build(alone).misses, 4);
  EXPECT_EQ(build(one).hits, 0);
  const Counts shared = build(two);
  EXPECT_EQ(shared.hits, 4) << shared.json;
  EXPECT_EQ(shared.run.at("device") + shared.run.at("host"), 0) << "the driver is asked in each checkout";
}

TEST_P(Package, ALauncherThatIsSetStays) {
  const std::string project = write_project("project", "hipcache_enable(NO_LINKS)\n");
  const Ended configured = configure(project, {"-DCMAKE_CXX_COMPILER_LAUNCHER=/usr/bin/env"});
  ASSERT_EQ(configured.exit_code, 0) << configured.err;
  EXPECT_THAT(configured.out, HasSubstr("hipcache_enable: CMAKE_CXX_COMPILER_LAUNCHER stays /usr/bin/env"));
  EXPECT_EQ(build(project).misses, 2) << "C and HIP";
}

TEST_P(Package, AWrongCallIsAnError) {
  const Ended unknown = configure(write_project("project", "hipcache_enable(TARGETS app)\n"));
  EXPECT_NE(unknown.exit_code, 0);
  EXPECT_THAT(unknown.err, HasSubstr("hipcache_enable: unknown arguments: TARGETS;app"));
  const Ended none = configure(write_project("project", "hipcache_enable(TARGET ${NOTHING})\n"));
  EXPECT_NE(none.exit_code, 0);
  EXPECT_THAT(none.err, HasSubstr("hipcache_enable: TARGET names no target"));
}

INSTANTIATE_TEST_SUITE_P(Generators, Package, testing::Values("Ninja", "Unix Makefiles"), [](const auto& generator) {
  return std::string(generator.param == "Ninja" ? "Ninja" : "Make");
});

}  // namespace
}  // namespace hipcache::integration
