// Every reason has its line in docs/coverage.md, and the page names none that does not exist.
#include "hipcache/compiler/reason.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

#include "support/scratch.h"

namespace hipcache::compiler {
namespace {

std::set<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::set<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match)
    found.insert((*match)[1]);
  return found;
}

TEST(Reason, HasItsLineInThePageOnCoverage) {
  const std::string root = HIPCACHE_SOURCE_DIR;
  const auto declared = matches(support::read_bytes(root + "/include/hipcache/compiler/reason.h"),
                                std::regex("constexpr const char\\* k\\w+ = \"([a-z-]+)\""));
  const auto documented = matches(support::read_bytes(root + "/docs/coverage.md"), std::regex("\n\\| `([a-z-]+)` \\|"));
  EXPECT_GT(declared.size(), 30u);
  EXPECT_EQ(declared, documented);
}

}  // namespace
}  // namespace hipcache::compiler
