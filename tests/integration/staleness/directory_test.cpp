// Where a command runs, and where its output goes.
#include <gtest/gtest.h>

#include "integration/staleness/staleness.h"

namespace hipcache::integration {
namespace {

using DirectoryStaleness = Staleness;

TEST_P(DirectoryStaleness, TheSameRelativeCommandInAnotherDirectoryReadsThatDirectorysFiles) {
  for (const char* directory : {"one", "two"}) {
    write_kernel(project_, std::string(directory) + "/a.hip", "#include \"sub/value.h\"\n");
    project_.write(std::string(directory) + "/sub/value.h", std::string("__device__ int ") + directory + " = 1;\n");
  }
  for (const char* directory : {"one", "two", "one", "two"}) Oracle(cache_, project_ / directory).check(command());
  EXPECT_EQ(cache_.counts().hits, 2);
}

INSTANTIATE_TEST_SUITE_P(Compilers, DirectoryStaleness, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
