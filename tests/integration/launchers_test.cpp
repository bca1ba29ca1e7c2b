// Where hipcache stands: under a compiler's name, before itself, before and behind another launcher.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "integration/single_compile.h"

namespace hipcache::integration {
namespace {

class Launchers : public SingleCompile {
 protected:
  Launchers() : expected_(made_by_the_compiler()) {
    project_.link("names/" + GetParam().program(), hipcache_program());
    EXPECT_EQ(cache_.control("--start-server").exit_code, 0);
  }

  // With an id of the user's, so that it is the same compile whoever runs it.
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

INSTANTIATE_TEST_SUITE_P(Compilers, Launchers, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
