// Several clients at once: a step that many need runs once, and the machine is used but not overloaded.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <thread>

#include "integration/support/process_tree.h"
#include "integration/support/single_compile.h"
#include "support/comes_true.h"

namespace hipcache::integration {
namespace {

using support::comes_true;

class Sharing : public SingleCompile {};

TEST_P(Sharing, FourEqualRequestsAtOnceRunEveryStepOnce) {
  write_slow_source();
  std::vector<Started> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(cache_.start(command("-O2"), project_.path()));
  for (Started& client : clients) {
    const Ended ended = client.wait();
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.err, "");
  }
  const Counts counted = cache_.counts();
  EXPECT_EQ(counted.run.at("device"), 2);
  EXPECT_EQ(counted.run.at("host"), 1);
  EXPECT_EQ(counted.run.at("probe"), 1);
  EXPECT_EQ(counted.hits + counted.partials + counted.misses, 4);
  EXPECT_TRUE(support::read_bytes(project_ / "a.o") == expected_object(command("-O2")));
}

TEST_P(Sharing, RequestsForOverlappingArchsAtOnceRunEveryArchOnce) {
  write_slow_source();
  const Arguments base = GetParam().hip() + words("-O2 -c a.hip -o a.o");
  const Arguments one = base + archs({"gfx906", "gfx1030"});
  const Arguments other = base + archs({"gfx1030", "gfx90a"});
  Started first = cache_.start(one, project_.path());
  Started second = cache_.start(other, project_.path());
  EXPECT_EQ(first.wait().exit_code, 0);
  EXPECT_EQ(second.wait().exit_code, 0);
  const Counts counted = cache_.counts();
  for (const char* arch : {"device gfx906", "device gfx1030", "device gfx90a"})
    EXPECT_EQ(counted.run.at(arch), 1) << arch;
}

// Two processors would run two of the three.
TEST_P(Sharing, NoMoreStepsThanNinjasJobsRunAtOnce) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "needs two processors";
  write_slow_source();
  std::string rule = "rule compile\n  command = " + hipcache_program();
  for (const std::string& word : command("-O2")) rule += " " + word;
  project_.write("build.ninja", rule + "\nbuild a.o: compile a.hip\n");
  ASSERT_EQ(cache_.control("--start-server").exit_code, 0);
  Started ninja({"ninja", "-j1"}, project_.path(), cache_.variables());
  std::size_t most = 0;
  while (!ninja.has_ended()) most = std::max(most, cache_.counts().json.at("running").size());
  EXPECT_EQ(ninja.wait().exit_code, 0);
  EXPECT_EQ(most, 1u);
}

TEST_P(Sharing, AClientTakesOverTheStepOfOneThatWasKilled) {
  write_slow_source();
  ASSERT_EQ(cache_.control("--start-server").exit_code, 0);
  Started first = cache_.start(command("-O2"), project_.path());
  ASSERT_TRUE(comes_true([&] { return cache_.leftovers() > 0; }));
  Started second = cache_.start(command("-O2"), project_.path());
  ASSERT_TRUE(comes_true([&] { return cache_.leftovers() > 1; }));
  kill(first.pid(), SIGKILL);
  first.wait();
  EXPECT_EQ(second.wait().exit_code, 0);
  EXPECT_TRUE(support::read_bytes(project_ / "a.o") == expected_object(command("-O2")));
}

// A step that a stopped client is running, and that another client needs.
class Stopped : public SingleCompile {
 protected:
  // Two jobs for all, so the jobs that a stopped client holds are missing for others.
  Stopped() : SingleCompile({{"HIPCACHE_JOBS", "2"}}) {}

  // Starts the compile, and returns once the daemon has given the client the step that the other one will wait for.
  Started start_devices(const std::string& object) {
    const std::int64_t probes = cache_.counts().hit.at("probe") + cache_.counts().run.at("probe");
    Started started = cache_.start(command("-O2", object), project_.path());
    EXPECT_TRUE(comes_true([&] {
      const Counts counted = cache_.counts();
      return counted.hit.at("probe") + counted.run.at("probe") > probes && !descendants(started.pid()).empty();
    }));
    return started;
  }

  // A second client gets its object while the first is stopped, and the daemon answers its users.
  void expect_others_go_on() {
    Started second = cache_.start(command("-O2", "b.o"), project_.path());
    EXPECT_TRUE(comes_true([&] { return second.has_ended(); })) << "it waits for one that is stopped";
    if (!second.has_ended()) kill(second.pid(), SIGKILL);
    const Ended ended = second.wait();
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.err, "");
    EXPECT_TRUE(support::read_bytes(project_ / "b.o") == expected_object(command("-O2", "b.o")));
    EXPECT_EQ(cache_.counts().passed, 0) << cache_.counts().json.dump();
  }

  void expect_right_end(Started& first) {
    const Ended ended = first.wait();
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_TRUE(support::read_bytes(project_ / "a.o") == expected_object(command("-O2")));
    EXPECT_EQ(cache_.counts().passed, 0);
    EXPECT_EQ(cache_.counts().errors, 0);
  }
};

TEST_P(Stopped, ClientsAndTheirCompilersHoldUpNobody) {
  write_slow_source();
  ASSERT_EQ(cache_.control("--start-server").exit_code, 0);
  Started first = start_devices("a.o");
  ASSERT_TRUE(stop_with_descendants(first.pid()));
  expect_others_go_on();
  EXPECT_FALSE(first.has_ended());
  EXPECT_EQ(cache_.control("--cleanup").exit_code, 0);
  EXPECT_EQ(cache_.control("--clear").exit_code, 0);
  go_on_with_descendants(first.pid());
  expect_right_end(first);
}

TEST_P(Stopped, CompilersOfAClientThatIsNotHoldUpNobodyForLongerThanTheLastRunAllows) {
  write_slow_source();
  check(command("-O2"));
  project_.write("a.hip", support::read_bytes(project_ / "a.hip") + "static int more;\n");
  Started first = start_devices("a.o");
  ASSERT_TRUE(stop_descendants(first.pid()));
  expect_others_go_on();
  EXPECT_FALSE(first.has_ended());
  EXPECT_GT(cache_.counts().waited, 0);
  go_on_with_descendants(first.pid());
  expect_right_end(first);
}

INSTANTIATE_TEST_SUITE_P(Compilers, Stopped, testing::ValuesIn(kOneCompiler), name_of);
INSTANTIATE_TEST_SUITE_P(Compilers, Sharing, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
