// Where the compiler looks for headers, and finds them or not.
#include <gtest/gtest.h>

#include <filesystem>

#include "integration/staleness/staleness.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;
using IncludePathStaleness = Staleness;

TEST_P(IncludePathStaleness, AHeaderThatAppearsEarlierOnThePathIsFound) {
  project_.write("late/value.h", "__device__ int value = 1;\n");
  project_.make_directory("early");
  write_kernel(project_, "a.hip", "#include <value.h>\n");
  const Arguments argv = command("-O1 -Iearly -Inot_yet/there -Ilate");
  check(argv);
  project_.write("early/unrelated.h", "");
  expect_hit(argv);
  project_.write("not_yet/there/value.h", "__device__ int value = 33;\n");
  expect_runs({.device = 2, .bundle = 1, .host = 1}, argv);
  project_.write("early/value.h", "__device__ int value = 4444;\n");
  expect_runs({.device = 2, .bundle = 1, .host = 1}, argv);
  fs::remove(project_ / "early/value.h");
  expect_hit(argv);
}

TEST_P(IncludePathStaleness, AnOptionalHeaderThatAppearsOrVanishesIsSeen) {
  write_kernel(project_, "a.hip", "#if __has_include(\"optional.h\")\n__device__ int optional = 1;\n#endif\n");
  check(command());
  project_.write("optional.h", "");
  expect_runs({.device = 2, .bundle = 1, .host = 1}, command());
  fs::remove(project_ / "optional.h");
  expect_hit(command());
}

INSTANTIATE_TEST_SUITE_P(Compilers, IncludePathStaleness, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
