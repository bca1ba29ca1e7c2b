// Files that change while the compiler runs.
#include <gtest/gtest.h>

#include "integration/staleness/staleness.h"

namespace hipcache::integration {
namespace {

using RaceStaleness = Staleness;

TEST_P(RaceStaleness, AFileEditedWhileTheCompilerRunsIsNotRecorded) {
  write_slow_source();
  const std::string source = support::read_bytes(project_ / "a.hip");
  ASSERT_EQ(cache_.control("--start-server").exit_code, 0);
  Started compile = cache_.start(command("-O2"), project_.path());
  while (cache_.leftovers() == 0) {
  }
  project_.write("a.hip", source + "__device__ int late = 1;\n");
  EXPECT_EQ(compile.wait().exit_code, 0);
  check(command("-O2"));
  project_.write("a.hip", source);
  check(command("-O2"));
}

INSTANTIATE_TEST_SUITE_P(Compilers, RaceStaleness, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
