// Variables that a compile depends on, and those that it does not.
#include <gtest/gtest.h>

#include "integration/staleness/staleness.h"

namespace hipcache::integration {
namespace {

using EnvironmentStaleness = Staleness;

TEST_P(EnvironmentStaleness, IncludePathsInTheEnvironmentAreInputsAndUnrelatedVariablesAreNot) {
  project_.write("one/value.h", "__device__ int value = 1;\n");
  project_.write("two/value.h", "__device__ int value = 22;\n");
  write_kernel(project_, "a.hip", "#include <value.h>\n");
  check(command(), {{"CPATH", project_ / "one"}});
  expect_runs({.device = 2, .bundle = 1, .host = 1, .probe = 1}, command(), {{"CPATH", project_ / "two"}});
  expect_hit(command(), {{"CPATH", project_ / "two"}, {"UNRELATED", "1"}});
}

INSTANTIATE_TEST_SUITE_P(Compilers, EnvironmentStaleness, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
