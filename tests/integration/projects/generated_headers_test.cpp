// A project with generated headers in its build directory, built by CMake and ninja in several build directories and
// checkouts. The oracle checks each compile of the builds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "integration/support/compiler.h"
#include "integration/support/oracle.h"

namespace hipcache::integration {
namespace {

// Different lengths, so that depfiles break their lines at different places.
constexpr const char* kFirst = "checkout/build";
constexpr const char* kInside = "checkout/another/build";
constexpr const char* kOutside = "a/build/directory/somewhere/else";

class Builds {
 protected:
  Builds() { check_out("checkout"); }

  void check_out(const std::string& name) const {
    scratch_.make_directory(name);
    const Ended copied =
        run({"cp", "-r", HIPCACHE_SOURCE "/fixtures/projects/generated-headers/.", scratch_ / name}, "/");
    ASSERT_EQ(copied.exit_code, 0) << copied.err;
  }

  void configure(const std::string& build, const std::string& compiler, const Arguments& more = {},
                 const std::string& checkout = "checkout") const {
    const Ended ended = run(
        Arguments{"cmake", "-G", "Ninja", "-S", scratch_ / checkout, "-B", scratch_ / build,
                  "-DCMAKE_CXX_COMPILER=/usr/bin/" + compiler, "-DCMAKE_CXX_COMPILER_LAUNCHER=" + hipcache_program()} +
            more,
        "/", cache_.variables({{"HIPCACHE_DISABLE", "1"}}));
    ASSERT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  }

  // Builds, and returns what was counted meanwhile.
  Counts make(const std::string& build, const Variables& variables = {}) const {
    const Counts before = cache_.counts();
    const Ended ended = run({"ninja", "-C", scratch_ / build}, "/", cache_.variables(variables));
    EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
    return cache_.counts() - before;
  }

  // Checks each compile of the build against the compiler; it is a hit by now.
  void expect_what_the_compiler_makes(const std::string& build, const Variables& variables = {}) const {
    const Ended database = run({"ninja", "-C", scratch_ / build, "-t", "compdb"}, "/");
    std::size_t compiles = 0;
    for (const auto& entry : nlohmann::json::parse(database.out.substr(database.out.find('[')))) {
      std::istringstream lines(
          run({"/bin/sh", "-c", "printf '%s\\n' " + entry.at("command").get<std::string>()}, "/").out);
      Arguments argv;
      for (std::string line; std::getline(lines, line);) argv.push_back(line);
      if (argv[0] != hipcache_program()) continue;
      argv.erase(argv.begin());
      Oracle oracle(cache_, scratch_ / build);
      EXPECT_EQ(oracle.check(argv, variables).hits, 1) << argv.back();
      ++compiles;
    }
    EXPECT_GE(compiles, 1u);
  }

  Variables with_base(const std::string& checkout = "checkout") const {
    return {{"HIPCACHE_BASEDIR", scratch_ / checkout}};
  }

  static std::int64_t steps_run(const Counts& counts) {
    return counts.run.at("device") + counts.run.at("bundle") + counts.run.at("host");
  }

  support::Scratch scratch_;
  Cache cache_;
};

class GeneratedHeaders : public testing::TestWithParam<Compiler>, protected Builds {
 protected:
  void configure_hip(const std::string& build, const Arguments& more = {}, const std::string& archs = "gfx906",
                     const std::string& checkout = "checkout") const {
    configure(build, GetParam().program(), more + Arguments{"-DHIP_ARCHS=" + archs}, checkout);
  }
};

TEST_P(GeneratedHeaders, ASecondBuildDirectoryRunsNothingAndAnAddedArchOnlyItself) {
  configure_hip(kFirst);
  const Counts cold = make(kFirst);
  EXPECT_EQ(cold.run.at("device"), 2);
  EXPECT_EQ(cold.run.at("host"), 3);
  for (const char* build : {kInside, kOutside}) {
    configure_hip(build);
    const Counts second = make(build);
    EXPECT_EQ(steps_run(second), 0) << build;
    EXPECT_EQ(second.hits, 3) << build;
    expect_what_the_compiler_makes(build);
  }
  configure_hip("third", {}, "gfx906;gfx1030");
  const Counts added = make("third");
  EXPECT_EQ(added.run.at("device"), 2);
  EXPECT_EQ(added.run.at("device gfx1030"), 2);
  EXPECT_EQ(added.run.at("host"), 0);
  expect_what_the_compiler_makes("third");
}

TEST_P(GeneratedHeaders, SoItIsWithABaseDirectoryAroundOneOfThem) {
  configure_hip(kFirst);
  make(kFirst, with_base());
  for (const char* build : {kInside, kOutside}) {
    configure_hip(build);
    EXPECT_EQ(steps_run(make(build, with_base())), 0) << build;
    expect_what_the_compiler_makes(build, with_base());
  }
}

TEST_P(GeneratedHeaders, ASecondCheckoutRunsNothingUnderItsBaseDirectory) {
  configure_hip(kFirst);
  make(kFirst, with_base());
  check_out("second");
  configure_hip("second/out", {}, "gfx906", "second");
  EXPECT_EQ(steps_run(make("second/out", with_base("second"))), 0);
  expect_what_the_compiler_makes("second/out", with_base("second"));
}

TEST_P(GeneratedHeaders, AHeaderThatDiffersIsCompiled) {
  configure_hip(kFirst);
  make(kFirst);
  configure_hip(kOutside, {"-DSCALE=3"});
  const Counts other = make(kOutside);
  EXPECT_EQ(other.run.at("device"), 2);
  EXPECT_EQ(other.run.at("host"), 3);
  expect_what_the_compiler_makes(kOutside);
}

TEST_P(GeneratedHeaders, AnObjectThatNamesItsBuildDirectoryIsCompiledInEach) {
  configure_hip(kFirst, {"-DNAME_PLACES=ON"});
  make(kFirst);
  configure_hip(kOutside, {"-DNAME_PLACES=ON"});
  const Counts other = make(kOutside);
  EXPECT_EQ(other.run.at("device"), 0);
  EXPECT_EQ(other.run.at("host"), 1);
  const std::string object =
      support::read_bytes(scratch_ / (std::string(kOutside) + "/CMakeFiles/units.dir/src/places.cpp.o"));
  EXPECT_THAT(object, testing::HasSubstr(scratch_ / kOutside));
  expect_what_the_compiler_makes(kOutside);
}

// Only the bundle step has no debug information.
TEST_P(GeneratedHeaders, DebugInformationIsOfItsBuildDirectory) {
  configure_hip(kFirst, {"-DCMAKE_CXX_FLAGS=-g"});
  make(kFirst);
  configure_hip(kOutside, {"-DCMAKE_CXX_FLAGS=-g"});
  const Counts other = make(kOutside);
  EXPECT_EQ(other.run.at("device"), 2);
  EXPECT_EQ(other.run.at("host"), 3);
  expect_what_the_compiler_makes(kOutside);
  expect_what_the_compiler_makes(kFirst);
}

INSTANTIATE_TEST_SUITE_P(Compilers, GeneratedHeaders, testing::ValuesIn(kOneCompiler), name_of);

class GeneratedHeadersOfGcc : public testing::Test, protected Builds {};

TEST_F(GeneratedHeadersOfGcc, ASecondBuildDirectoryRunsNothing) {
  configure(kFirst, "g++");
  EXPECT_EQ(make(kFirst).run.at("host"), 1);
  configure(kOutside, "g++");
  EXPECT_EQ(make(kOutside).hits, 1);
  expect_what_the_compiler_makes(kOutside);
}

TEST_F(GeneratedHeadersOfGcc, AnObjectThatNamesItsBuildDirectoryIsCompiledInEach) {
  configure(kFirst, "g++", {"-DNAME_PLACES=ON", "-DCMAKE_CXX_FLAGS=-g1"});
  make(kFirst);
  configure(kOutside, "g++", {"-DNAME_PLACES=ON", "-DCMAKE_CXX_FLAGS=-g1"});
  EXPECT_EQ(make(kOutside).run.at("host"), 2) << "debug information names it, too";
  expect_what_the_compiler_makes(kOutside);
}

}  // namespace
}  // namespace hipcache::integration
