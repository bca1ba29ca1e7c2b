// Every reason is found by its text. Every reason against a command has its line in docs/coverage.md, and the page
// names none that does not exist.
#include "hipcache/base/reason.h"

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

TEST(Reason, IsFoundByItsText) {
  for (unsigned one = 0; one <= static_cast<unsigned>(Reason::starts_a_compiler); ++one)
    EXPECT_EQ(reason_named(text_of(static_cast<Reason>(one))), static_cast<Reason>(one)) << one;
  EXPECT_STREQ(text_of(Reason::not_a_compiler), "not-a-compiler");
  EXPECT_EQ(reason_named("no-such-reason"), Reason::none);
}

TEST(Reason, HasItsLineInThePageOnCoverage) {
  const std::string root = HIPCACHE_SOURCE_DIR;
  std::set<std::string> declared;
  for (auto one = Reason::not_a_compiler; one <= Reason::response_file;
       one = static_cast<Reason>(static_cast<unsigned>(one) + 1))
    declared.insert(text_of(one));
  const auto documented = matches(support::read_bytes(root + "/docs/coverage.md"), std::regex("\n\\| `([a-z-]+)` \\|"));
  EXPECT_GT(declared.size(), 30u);
  EXPECT_EQ(declared, documented);
}

TEST(Reason, OfADaemonOrARunHasItsLineInThePageOnCoverage) {
  const std::string page = support::read_bytes(HIPCACHE_SOURCE_DIR "/docs/coverage.md");
  for (auto one = static_cast<unsigned>(Reason::response_file) + 1;
       one < static_cast<unsigned>(Reason::starts_a_compiler); ++one) {
    const std::string name = text_of(static_cast<Reason>(one));
    EXPECT_NE(page.find("\n- `" + name + "`: "), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace hipcache::compiler
