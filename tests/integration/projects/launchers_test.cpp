// Positions of hipcache: under a compiler's name, before itself, before and behind another launcher.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "integration/support/single_compile.h"

namespace hipcache::integration {
namespace {

class Launchers : public SingleCompile {
 protected:
  Launchers() : expected_(made_by_the_compiler()) {
    project_.link("names/" + GetParam().program(), hipcache_program());
    EXPECT_EQ(cache_.control("--start-server").exit_code, 0);
  }

  // With an id of the user's, so that every command runs the same compile.
  Arguments compile_of() const { return GetParam().hip() + words("--offload-arch=gfx906 -cuid=mine -c a.hip -o a.o"); }

  std::string made_by_the_compiler() const {
    EXPECT_EQ(run(compile_of(), project_.path()).exit_code, 0);
    return support::read_bytes(project_ / "a.o");
  }

  // The command with other words before it, or in place of the compiler.
  Arguments with(const Arguments& words, bool with_compiler) const {
    const Arguments whole = compile_of();
    return words + Arguments(whole.begin() + (with_compiler ? 0 : 1), whole.end());
  }

  Counts compile(const Arguments& argv, const Variables& variables = {}) {
    const Counts before = cache_.counts();
    std::filesystem::remove(project_ / "a.o");
    const Ended ended = run(argv, project_.path(), cache_.variables(variables));
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_TRUE(support::read_bytes(project_ / "a.o") == expected_);
    return cache_.counts() - before;
  }

  const std::string expected_;
};

TEST_P(Launchers, ALinkNamedLikeTheCompilerIsTheCompilerByWhateverPath) {
  EXPECT_EQ(compile(with({"names/" + GetParam().program()}, false)).misses, 1);
  EXPECT_EQ(compile(with({project_ / ("names/" + GetParam().program())}, false)).hits, 1);
  const Variables path{{"PATH", (project_ / "names") + ":" + std::getenv("PATH")}};
  EXPECT_EQ(compile(compile_of(), path).hits, 1);
  EXPECT_EQ(compile(with({hipcache_program()}, true), path).hits, 1);
}

TEST_P(Launchers, TwiceIsOnce) {
  EXPECT_EQ(compile(with({hipcache_program(), hipcache_program()}, true)).misses, 1);
  const Counts warm = compile(with({hipcache_program(), hipcache_program(), hipcache_program()}, true));
  EXPECT_EQ(warm.hits, 1);
  EXPECT_EQ(warm.passed, 0);
}

TEST_P(Launchers, AnotherLauncherBehindItIsRunAsItWasTyped) {
  EXPECT_EQ(compile(with({hipcache_program(), "env"}, true)).passed, 1);
  EXPECT_EQ(compile(with({hipcache_program(), "ccache"}, true), {{"CCACHE_DISABLE", "1"}}).passed, 1);
}

TEST_P(Launchers, AnotherLauncherBeforeItRunsItAsTheCompiler) {
  EXPECT_EQ(compile(with({"ccache", hipcache_program()}, true), {{"CCACHE_DISABLE", "1"}}).misses, 1);
  EXPECT_EQ(compile(with({"env", hipcache_program()}, true)).hits, 1);
}

// Chains of launchers around C compiles, whose objects do not depend on who compiles them.
class PlainLaunchers : public testing::Test {
 protected:
  PlainLaunchers() {
    project_.write("a.c", "int one(void) { return 1; }\n");
    for (const char* name : {"g++", "gcc", "c++", "cc"})
      project_.link(std::string("names/") + name, hipcache_program());
    EXPECT_EQ(cache_.control("--start-server").exit_code, 0);
  }

  // Both objects are the compiler's; returns what was counted for each compile.
  std::pair<Counts, Counts> compile_twice(const Arguments& launchers, const std::string& compiler,
                                          const Variables& variables) const {
    const Arguments compile{compiler, "-c", "a.c", "-o", "a.o"};
    EXPECT_EQ(run(compile, project_.path()).exit_code, 0);
    const std::string expected = support::read_bytes(project_ / "a.o");
    const Counts first = cache_.counts();
    Counts between = first;
    for (int time = 0; time < 2; ++time) {
      between = cache_.counts();
      std::filesystem::remove(project_ / "a.o");
      EXPECT_EQ(run(launchers + compile, project_.path(), cache_.variables(variables)).exit_code, 0);
      EXPECT_TRUE(support::read_bytes(project_ / "a.o") == expected) << compiler;
    }
    return {between - first, cache_.counts() - between};
  }

  support::Scratch project_;
  Cache cache_;
};

TEST_F(PlainLaunchers, LinksNamedLikeGccOrTheSystemsCompilerAreThose) {
  const Variables path{{"PATH", (project_ / "names") + ":" + std::getenv("PATH")}};
  for (const char* name : {"g++", "gcc", "c++", "cc"}) {
    const auto [first, second] = compile_twice({}, name, path);
    EXPECT_EQ(first.misses, 1) << name;
    EXPECT_EQ(second.hits, 1) << name;
  }
}

TEST_F(PlainLaunchers, WhatCcacheDoesNotFindItHasHipcacheCompile) {
  const auto [first, second] =
      compile_twice({"ccache"}, "gcc", {{"CCACHE_PREFIX", hipcache_program()}, {"CCACHE_DIR", project_ / "ccache"}});
  EXPECT_GE(first.misses, 1);
  EXPECT_EQ(second.hits + second.misses + second.passed, 0) << "ccache has it";
}

TEST_F(PlainLaunchers, WhatHipcacheIsToRunThroughCcacheIsLeftToIt) {
  const auto [first, second] =
      compile_twice({hipcache_program(), "ccache"}, "gcc", {{"CCACHE_DIR", project_ / "ccache"}});
  EXPECT_EQ(first.reasons.at("not-a-compiler"), 1);
  EXPECT_EQ(second.reasons.at("not-a-compiler"), 1);
}

// A compile that distcc sends elsewhere leaves no trace here. Behind such a launcher, hipcache would be its compiler.
TEST_F(PlainLaunchers, WhatIsSentElsewhereIsLeftToTheSender) {
  const std::string distcc = project_.write("sender/distcc", "#!/bin/sh\nexec \"$@\"\n");
  std::filesystem::permissions(distcc, std::filesystem::perms::owner_all);
  const Variables path{{"PATH", (project_ / "sender") + ":" + std::getenv("PATH")}};
  const auto [first, second] = compile_twice({hipcache_program(), "distcc"}, "gcc", path);
  EXPECT_EQ(first.reasons.at("not-a-compiler") + second.reasons.at("not-a-compiler"), 2);
  EXPECT_EQ(first.misses + second.misses, 0);
  const auto [behind, behind_again] = compile_twice({"distcc", hipcache_program()}, "gcc", path);
  EXPECT_EQ(behind.misses, 1);
  EXPECT_EQ(behind_again.hits, 1);
}

TEST_F(PlainLaunchers, CcacheBeforeItTakesItForTheCompiler) {
  const auto [first, second] =
      compile_twice({"ccache", hipcache_program()}, "gcc", {{"CCACHE_DIR", project_ / "ccache"}});
  EXPECT_GE(first.misses, 1);
  EXPECT_EQ(second.hits + second.misses + second.passed, 0) << "ccache has it";
}

INSTANTIATE_TEST_SUITE_P(Compilers, Launchers, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
