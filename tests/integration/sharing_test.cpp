// Several clients at once: a step that many need is run once, and the machine is used but not overloaded.
#include <gtest/gtest.h>
#include <signal.h>

#include "integration/single_compile.h"

namespace hipcache::integration {
namespace {

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

TEST_P(Sharing, AClientTakesOverTheStepOfOneThatWasKilled) {
  write_slow_source();
  ASSERT_EQ(cache_.control("--start-server").exit_code, 0);
  Started first = cache_.start(command("-O2"), project_.path());
  while (cache_.leftovers() == 0) {
  }
  Started second = cache_.start(command("-O2"), project_.path());
  while (cache_.leftovers() < 2) {
  }
  kill(first.pid(), SIGKILL);
  first.wait();
  EXPECT_EQ(second.wait().exit_code, 0);
  EXPECT_TRUE(support::read_bytes(project_ / "a.o") == expected_object(command("-O2")));
}

INSTANTIATE_TEST_SUITE_P(Compilers, Sharing, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
