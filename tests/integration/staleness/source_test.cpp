// What the compiler reads for a source: the source, its headers by every option that names one, response files, links.
#include <gtest/gtest.h>

#include <filesystem>

#include "integration/staleness/staleness.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;
using SourceStaleness = Staleness;

TEST_P(SourceStaleness, AHeaderWithEqualSizeAndModificationTimeIsReadAgain) {
  project_.write("value.h", "#define VALUE 1\n");
  write_kernel(project_, "a.hip", "#include \"value.h\"\n__device__ int value = VALUE;\nint host_value = VALUE;\n");
  check(command());
  const auto time = fs::last_write_time(project_ / "value.h");
  project_.write("value.h", "#define VALUE 2\n");
  fs::last_write_time(project_ / "value.h", time);
  expect_runs({.device = 2, .bundle = 1, .host = 1}, command());
}

TEST_P(SourceStaleness, AHeaderOfTheHostAloneRunsTheHostAlone) {
  project_.write("host.h", "int host_value = 1;\n");
  write_kernel(project_, "a.hip", "#ifndef __HIP_DEVICE_COMPILE__\n#include \"host.h\"\n#endif\n");
  check(command());
  project_.write("host.h", "int host_value = 22;\n");
  expect_runs({.host = 1}, command());
}

TEST_P(SourceStaleness, ARetargetedSymbolicLinkIsFollowed) {
  project_.write("one.h", "__device__ int value = 1;\n");
  project_.write("two.h", "__device__ int value = 22;\n");
  project_.link("value.h", "one.h");
  write_kernel(project_, "a.hip", "#include \"value.h\"\n");
  check(command());
  project_.link("value.h", "two.h");
  expect_runs({.device = 2, .bundle = 1, .host = 1}, command());
}

INSTANTIATE_TEST_SUITE_P(Compilers, SourceStaleness, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
