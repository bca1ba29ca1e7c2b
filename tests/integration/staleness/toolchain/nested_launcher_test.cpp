// Launchers before a stub that itself runs hipcache: one request, by the inner one.
#include <gtest/gtest.h>

#include "integration/staleness/support/wrappers.h"

namespace hipcache::integration {
namespace {

std::int64_t requests(const Counts& counts) { return counts.hits + counts.partials + counts.misses + counts.passed; }

class NestedLaunchers : public Wrappers {
 protected:
  // Ends in hipcache and the driver. The compiler alone, with which results are compared, has no cache at all.
  std::string stub(const std::string& more = "", const std::string& how = "exec ") const {
    return write_script("#!/bin/sh\n[ -n \"$HIPCACHE_WRAPPER\" ] || exec " + driver() + more + " \"$@\"\n" + how +
                        hipcache_program() + " " + driver() + more + " \"$@\"\n");
  }

  // One C source, by a script named like a compiler.
  Counts compile_c(const std::string& wrapper, const Variables& variables = {}) const {
    const Counts before = cache_.counts();
    EXPECT_EQ(cache_.run({wrapper, "-c", "a.c", "-o", "a.o"}, project_.path(), variables).exit_code, 0);
    return cache_.counts() - before;
  }

  void SetUp() override {
    Wrappers::SetUp();
    project_.write("a.c", "#ifdef MORE\nint more;\n#endif\nint a;\n");
    await_settled(project_ / "a.c");
  }
};

TEST_P(NestedLaunchers, AStubGoesByArchitectureInOneRequestEach) {
  const std::string wrapper = stub();
  expect_by_architecture(wrapper);
  EXPECT_EQ(requests(cache_.counts()), 3);
}

TEST_P(NestedLaunchers, AStubThatWaitsForHipcacheGoesByArchitecture) {
  expect_by_architecture(stub("", ""));
  EXPECT_EQ(requests(cache_.counts()), 3);
}

TEST_P(NestedLaunchers, AProgramInTheCompilersPlaceGoesByArchitecture) {
  const std::string start =
      "if (getenv(\"HIPCACHE_DIR\")) { char* more[argc + 2]; memcpy(more + 1, argv, sizeof *argv * "
      "(argc + 1)); more[0] = \"hipcache\"; more[1] = \"" +
      driver() + "\"; execv(\"" + hipcache_program() + "\", more); }";
  const std::string wrapper = build(start);
  for (int time = 0; time < 3; ++time) EXPECT_EQ(cache_.run(by(wrapper), project_.path()).exit_code, 0);
  const Counts counts = cache_.counts();
  EXPECT_EQ(counts.hits, 2) << counts.json.dump();
  EXPECT_EQ(counts.run.at("device"), 2) << counts.json.dump();
}

TEST_P(NestedLaunchers, TheTextOfTheStubIsAnInput) {
  const std::string wrapper = stub();
  project_.write("a.hip", support::read_bytes(project_ / "a.hip") + "\n#ifdef MORE\n__device__ int more;\n#endif\n");
  warm(by(wrapper));
  EXPECT_EQ(check(by(stub(" -DMORE"))).run.at("device"), 2);
}

TEST_P(NestedLaunchers, WherePathLeadsTheInnerOneIsAnInput) {
  project_.write("first/place", "");
  project_.link("second/gcc", "/usr/bin/gcc");
  const std::string wrapper = write_script("#!/bin/sh\nexec " + hipcache_program() + " gcc \"$@\"\n", "bin/gcc");
  const Variables variables{{"PATH", project_ / "first:" + (project_ / "second:/usr/bin:/bin")}};
  EXPECT_EQ(compile_c(wrapper, variables).misses, 1);
  const Counts again = compile_c(wrapper, variables);
  EXPECT_EQ(again.hits, 1) << again.json.dump();
  write_script("#!/bin/sh\nexec /usr/bin/gcc -DMORE \"$@\"\n", "first/gcc");
  EXPECT_EQ(compile_c(wrapper, variables).misses, 1);
  EXPECT_NE(support::read_bytes(project_ / "a.o").find("more"), std::string::npos);
}

TEST_P(NestedLaunchers, ABuildToolThatRunsUnderACompileIsNotAffected) {
  project_.write("part.c", "int part;\n");
  await_settled(project_ / "part.c");
  project_.write("mk", "part.o: part.c\n\t" + hipcache_program() + " gcc -c part.c -o part.o\n");
  const std::string wrapper = write_script("#!/bin/sh\nrm -f part.o\nmake -s -f mk\nexec gcc \"$@\"\n", "bin/gcc");
  EXPECT_EQ(requests(compile_c(wrapper)), 2);
  EXPECT_EQ(compile_c(wrapper).hits, 2);
}

TEST_P(NestedLaunchers, AnotherCacheDirectoryIsUsedAsTheStubSays) {
  const std::string other = project_ / "other cache";
  const std::string wrapper = write_script(
      "#!/bin/sh\nexport HIPCACHE_DIR='" + other + "'\nexec " + hipcache_program() + " gcc \"$@\"\n", "bin/gcc");
  const Variables there = cache_.variables({{"HIPCACHE_DIR", other}});
  for (int time = 0; time < 2; ++time) compile_c(wrapper);
  const Ended shown = run({hipcache_program(), "--show-stats", "--format", "json"}, project_.path(), there);
  const Counts counts = counts_of(nlohmann::json::parse(shown.out));
  EXPECT_EQ(counts.hits, 1) << shown.out;
  EXPECT_EQ(counts.misses, 1) << shown.out;
  run({hipcache_program(), "--stop-server"}, project_.path(), there);
}

TEST_P(NestedLaunchers, AStubThatTakesTheDateFirstIsCached) {
  const std::string wrapper =
      write_script("#!/bin/sh\ndate >/dev/null\nexec " + hipcache_program() + " gcc \"$@\"\n", "bin/gcc");
  EXPECT_EQ(compile_c(wrapper).misses, 1);
  EXPECT_EQ(compile_c(wrapper).hits, 1);
}

INSTANTIATE_TEST_SUITE_P(Compilers, NestedLaunchers, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
