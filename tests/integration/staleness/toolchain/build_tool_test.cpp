// gcc below make: what make passes in MAKEFLAGS (the number of jobs, -k, a jobserver) does not reach any object.
#include <gtest/gtest.h>

#include <filesystem>

#include "integration/support/opaque_compile.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

class BuildToolStaleness : public OpaqueCompile, public testing::Test {
 protected:
  BuildToolStaleness() {
    project_.write("a.c", "int a(void) { return 1; }\n");
    project_.write("b.cpp", "int b() { return 2; }\n");
    project_.write("Makefile", R"(all: a.o b.o
a.o: a.c
	+$(LAUNCHER) gcc -O1 -c a.c -o a.o
b.o: b.cpp
	$(LAUNCHER) g++ -O1 -c b.cpp -o b.o
)");
  }

  // Builds both objects anew. Returns what hipcache counted meanwhile.
  Counts make(const std::string& flags) {
    for (const char* object : {"a.o", "b.o"}) fs::remove(project_ / object);
    const Counts before = cache_.counts();
    const Ended ended =
        run(words("make " + flags) + Arguments{"LAUNCHER=" + hipcache_program()}, project_.path(), cache_.variables());
    EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
    return cache_.counts() - before;
  }

  void expect_two_hits(const Counts& counted) {
    EXPECT_EQ(counted.hits, 2) << counted.json.dump();
    EXPECT_EQ(counted.run.at("host") + counted.run.at("probe"), 0);
  }
};

TEST_F(BuildToolStaleness, GccHitsWithAnyNumberOfJobsAndWithoutMake) {
  EXPECT_EQ(make("-j2").run.at("host"), 2);
  for (const char* flags : {"-j2", "-j4", "", "-k", "-j3 -k --output-sync=target -s"}) {
    SCOPED_TRACE(flags);
    expect_two_hits(make(flags));
  }
  expect_hit(words("gcc -O1 -c a.c -o a.o"));
  expect_hit(words("g++ -O1 -c b.cpp -o b.o"));
}

TEST_F(BuildToolStaleness, GccHitsWithEveryJobserverThatMakeNames) {
  const Arguments argv = words("gcc -O1 -c a.c -o a.o");
  expect_run(argv);
  for (const std::string auth : {"3,4", "fifo:/tmp/GMfifo1", "fifo:/tmp/GMfifo2"})
    expect_hit(argv, {{"MAKEFLAGS", " -j4 --jobserver-auth=" + auth}, {"MAKELEVEL", "1"}, {"MFLAGS", "-j4"}});
}

TEST_F(BuildToolStaleness, ASpecsFileThatUsesWhatMakeSaysIsNotStored) {
  project_.write("a.c", "int a(void) { return JOBS; }\n");
  project_.write("make.specs", "*cpp:\n+ -DJOBS=%:getenv(MAKEFLAGS 0)\n\n");
  const Arguments argv = words("gcc -specs=make.specs -O1 -c a.c -o a.o");
  for (const char* jobs : {"1", "2", "1"}) {
    const Counts counted = check(argv, {{"MAKEFLAGS", jobs}});
    EXPECT_EQ(oracle_.exit_code(), 0);
    EXPECT_EQ(counted.hits, 0);
  }
}

}  // namespace
}  // namespace hipcache::integration
