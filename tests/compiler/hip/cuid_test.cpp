#include "hipcache/compiler/hip/cuid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace hipcache::hip {
namespace {

struct Request {
  std::string source = "/home/a/p/src/k.hip";
  std::string object = "CMakeFiles/k.o";
  std::vector<std::string> arguments = {"-O2"};
  std::string cwd = "/home/a/p/build";
  std::string base;
  std::string root = "/home/a/p/build";
};

std::string cuid(const Request& request) {
  compiler::Invocation invocation;
  invocation.source = request.source;
  invocation.object = request.object;
  invocation.driver.for_cuid = {"clang++"};
  invocation.driver.for_cuid.insert(invocation.driver.for_cuid.end(), request.arguments.begin(),
                                    request.arguments.end());
  return make_cuid(invocation, invocation.driver.for_cuid, request.cwd, Roots(request.base), request.root);
}

TEST(Cuid, IsSixteenHexDigits) {
  EXPECT_EQ(cuid({}).size(), 16u);
  EXPECT_EQ(cuid({}).find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST(Cuid, IsEqualForEqualRequests) { EXPECT_EQ(cuid({}), cuid({})); }

TEST(Cuid, DiffersForAnotherOutputSourceOrArgument) {
  Request output, source, argument, more;
  output.object = "CMakeFiles/k2.o";
  source.source = "/home/a/p/src/l.hip";
  argument.arguments = {"-O3"};
  more.arguments = {"-O2", "-DX"};
  const std::set<std::string> ids = {cuid({}), cuid(output), cuid(source), cuid(argument), cuid(more)};
  EXPECT_EQ(ids.size(), 5u);
}

TEST(Cuid, DiffersForTheSameNameInAnotherDirectoryOfTheBuild) {
  Request other;
  other.cwd = "/home/a/p/build/sub";
  EXPECT_NE(cuid({}), cuid(other));
}

TEST(Cuid, OfOneOfSeveralSourcesIsMadeOfItsOwnNameAlone) {
  const auto id_of = [](const std::string& source, const std::string& other, const std::string& root = "/home/a/p") {
    compiler::Invocation invocation{.source = source, .other_sources = {other}, .object = "app"};
    const std::string shared = make_cuid(invocation, {"clang++"}, root + "/build", Roots(root), root + "/build");
    const std::string id = cuid_of_source(shared, source, root + "/build", Roots(root), root + "/build");
    EXPECT_TRUE(id.starts_with(shared + "-"));
    return id;
  };
  EXPECT_EQ(id_of("../a.hip", "../b.hip"), id_of("../a.hip", "../c.hip"));
  EXPECT_EQ(id_of("../a.hip", "../b.hip"), id_of("../a.hip", "../b.hip", "/home/b/q"));
  EXPECT_NE(id_of("../a.hip", "../b.hip"), id_of("../b.hip", "../a.hip"));
  EXPECT_NE(id_of("../a.hip", "../b.hip"), id_of("a.hip", "../b.hip"));
}

TEST(Cuid, IsEqualInTwoBuildDirectoriesOfASource) {
  Request other;
  other.cwd = other.root = "/home/a/p/build2";
  EXPECT_EQ(cuid({}), cuid(other));
}

TEST(Cuid, IsEqualHoweverTheOutputIsSpelled) {
  Request other;
  other.object = "/home/a/p/build/CMakeFiles/k.o";
  EXPECT_EQ(cuid({}), cuid(other));
  other.object = "x/../CMakeFiles/./k.o";
  EXPECT_EQ(cuid({}), cuid(other));
}

TEST(Cuid, IsEqualForGeneratedSourcesInTwoBuildDirectories) {
  Request one, other;
  one.source = "/home/a/p/build/gen/k.hip";
  other.source = "/home/a/p/build2/gen/k.hip";
  other.cwd = other.root = "/home/a/p/build2";
  EXPECT_EQ(cuid(one), cuid(other));
}

TEST(Cuid, IsEqualInTwoCheckoutsUnderTheirBaseDirectories) {
  Request one, other;
  one.base = one.root = "/home/a/p";
  one.arguments = {"-I/home/a/p/include", "-ffile-prefix-map=/home/a/p=.", "-MF", "/home/a/p/build/x.d"};
  other.source = "/ci/7/p/src/k.hip";
  other.cwd = "/ci/7/p/build";
  other.base = other.root = "/ci/7/p";
  other.arguments = {"-I/ci/7/p/include", "-ffile-prefix-map=/ci/7/p=.", "-MF", "/ci/7/p/build/x.d"};
  EXPECT_EQ(cuid(one), cuid(other));
}

TEST(Cuid, IsEqualInTwoBuildDirectoriesWithinOrWithoutABaseDirectory) {
  Request one, inside, outside;
  one.base = inside.base = outside.base = "/home/a/p";
  inside.cwd = inside.root = "/home/a/p/build2";
  outside.cwd = outside.root = "/var/build";
  EXPECT_EQ(cuid(one), cuid(inside));
  EXPECT_EQ(cuid(one), cuid(outside));
}

TEST(Cuid, TakesARootForItsNameOnlyAsAWholeDirectory) {
  Request one, other;
  one.arguments = {"-I/home/a/p/build/x", "-I/home/a/p/build"};
  other.cwd = other.root = "/home/a/p/other";
  other.arguments = {"-I/home/a/p/other/x", "-I/home/a/p/other"};
  EXPECT_EQ(cuid(one), cuid(other));
  one.arguments = {"-I/home/a/p/build-x"};
  other.arguments = {"-I/home/a/p/other-x"};
  EXPECT_NE(cuid(one), cuid(other));
}

TEST(Cuid, KeepsTheWholePathWhereNoRootIsKnown) {
  Request one, other;
  one.root = other.root = "";
  other.cwd = "/home/a/p/build2";
  EXPECT_NE(cuid(one), cuid(other));
}

TEST(Cuid, IsNotConfusedByRootsOfTheWholeTree) {
  Request one;
  one.base = one.root = "/";
  EXPECT_EQ(cuid(one).size(), 16u);
}

TEST(Cuid, KnowsNothingOfWhatTheDriverKeepsToItself) {
  Request one;
  Request other;
  other.arguments.insert(other.arguments.end(), {"-pipe", "-Qunused-arguments", "-parallel-jobs=4"});
  EXPECT_EQ(cuid(one), cuid(other));
}

TEST(ShowsCuid, InTheFormsThatClangGivesIt) {
  EXPECT_TRUE(shows_cuid("x0123456789abcdefx", "0123456789abcdef"));
  // What clang 19 makes of "mine" in the name of a symbol.
  EXPECT_TRUE(shows_cuid("31d0915edb818b91", "mine"));
  EXPECT_TRUE(shows_cuid("__hip_cuid_", "mine"));
  EXPECT_TRUE(shows_cuid("_ZL1x.static.1234", "mine"));
  EXPECT_FALSE(shows_cuid("__hip_fatbin", "mine"));
  EXPECT_FALSE(shows_cuid("anything", ""));
}

class OutputRoot : public ::testing::Test {
 protected:
  std::string of(const std::string& output, const Roots& roots = {}) const {
    return output_root(output, roots, [&](const std::string& path) { return files.contains(path); });
  }
  std::set<std::string> files;
};

TEST_F(OutputRoot, IsTheBuildDirectoryAndNotTheBaseDirectoryAroundIt) {
  files = {"/p/build/CMakeCache.txt"};
  EXPECT_EQ(of("/p/build/a.o", Roots("/p")), "/p/build");
}

TEST_F(OutputRoot, IsTheTopmostBuildDirectoryOfTheRequestWhereTheOutputLiesInIt) {
  Roots roots;
  roots.add(kBuildMark, "/p/build/inner");
  EXPECT_EQ(of("/p/build/inner/a.o", roots), "/p/build/inner");
  roots.add(kOuterBuildMark, "/p/build");
  EXPECT_EQ(of("/p/build/inner/a.o", roots), "/p/build");
  EXPECT_EQ(of("/p/other/a.o", roots), "");
}

TEST_F(OutputRoot, IsTheTopmostBuildDirectoryAboveTheOutput) {
  files = {"/p/build/CMakeCache.txt", "/p/build/external/x/CMakeCache.txt"};
  EXPECT_EQ(of("/p/build/external/x/sub/a.o"), "/p/build");
  files = {"/p/out/build.ninja"};
  EXPECT_EQ(of("/p/out/sub/../a.o"), "/p/out");
}

TEST_F(OutputRoot, IsNoneWhereNoBuildDirectoryIsFound) {
  EXPECT_EQ(of("/p/build/a.o"), "");
  EXPECT_EQ(of("/a.o"), "");
}

}  // namespace
}  // namespace hipcache::hip
