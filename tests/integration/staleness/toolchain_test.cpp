// The programs that a compile runs.
#include <gtest/gtest.h>

#include <filesystem>

#include "integration/staleness/staleness.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;
using ToolchainStaleness = Staleness;

TEST_P(ToolchainStaleness, AnotherLinkerInTheCompilersDirectoryOfToolsIsUsed) {
  const std::string tools = project_.make_directory("tools");
  fs::create_symlink(GetParam().tools() + "/lld", tools + "/lld");
  Arguments argv = command();
  for (std::string& argument : argv)
    if (argument.starts_with("-B")) argument = "-B" + tools;
  check(argv);
  expect_hit(argv);
  fs::remove(tools + "/lld");
  fs::copy_file(GetParam().tools() + "/lld", tools + "/lld");
  // The same bytes at the same path: nothing has to run, whatever the driver calls the program.
  check(argv);
}

INSTANTIATE_TEST_SUITE_P(Compilers, ToolchainStaleness, testing::ValuesIn(kCompilers), name_of);

}  // namespace
}  // namespace hipcache::integration
