// Every reason of the service's own has its line in docs/coverage.md.
#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "support/scratch.h"

namespace hipcache::daemon {
namespace {

TEST(Reasons, OfTheServiceAreAllDocumented) {
  const std::string root = HIPCACHE_SOURCE;
  const std::string header = support::read_bytes(root + "/src/daemon/request/reason.h");
  const std::string page = support::read_bytes(root + "/docs/coverage.md");
  const std::regex name("const char\\* k\\w+ = \"([a-z-]+)\"");
  int found = 0;
  for (std::sregex_iterator match(header.begin(), header.end(), name), end; match != end; ++match, ++found)
    EXPECT_NE(page.find("\n- `" + (*match)[1].str() + "`: "), std::string::npos) << (*match)[1];
  EXPECT_GT(found, 15);
}

}  // namespace
}  // namespace hipcache::daemon
