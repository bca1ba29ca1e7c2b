#include "daemon/shared/running_steps.h"

#include <gtest/gtest.h>

namespace hipcache::daemon {
namespace {

std::vector<std::string> objects(const RunningSteps& steps) {
  std::vector<std::string> all;
  for (const stats::RunningStep& step : steps.now()) all.push_back(step.object);
  return all;
}

stats::RunningStep of(const std::string& object) { return {.object = object, .label = "host", .arch = ""}; }

TEST(RunningSteps, AreListedInTheirOrderWhileTheirEntriesLive) {
  using Objects = std::vector<std::string>;
  RunningSteps steps;
  EXPECT_EQ(objects(steps), Objects{});
  {
    const RunningSteps::Entry second_to_last = [&] {
      const RunningSteps::Entry first = steps.begin(of("a.o"));
      RunningSteps::Entry second = steps.begin(of("b.o"));
      EXPECT_EQ(objects(steps), Objects({"a.o", "b.o"}));
      return second;
    }();
    const RunningSteps::Entry third = steps.begin(of("c.o"));
    EXPECT_EQ(objects(steps), Objects({"b.o", "c.o"}));
  }
  EXPECT_EQ(objects(steps), Objects{});
}

}  // namespace
}  // namespace hipcache::daemon
