#include "cli/doctor/findings.h"

#include <gtest/gtest.h>

#include "cli/doctor/check_settings.h"

namespace hipcache::cli {
namespace {

TEST(Findings, ALineBeginsWithItsLevel) {
  EXPECT_EQ(to_line({Level::ok, "text"}), "ok       text\n");
  EXPECT_EQ(to_line({Level::note, "text"}), "note     text\n");
  EXPECT_EQ(to_line({Level::warning, "text"}), "warning  text\n");
  EXPECT_EQ(to_line({Level::error, "text"}), "error    text\n");
}

TEST(Findings, OnlyAnErrorIsOne) {
  Findings findings;
  findings.ok("1"), findings.note("2"), findings.warning("3");
  EXPECT_FALSE(findings.has_error());
  findings.error("4");
  EXPECT_TRUE(findings.has_error());
  EXPECT_EQ(findings.count(Level::warning), 1u);
}

TEST(Findings, ATextIsOneLine) {
  Findings findings;
  findings.note("one\ntwo");
  EXPECT_EQ(findings.all().front().text, "one two");
}

TEST(Machine, TheChosenSettingOfHugePagesIsTheOneInBrackets) {
  EXPECT_EQ(chosen_in("always [madvise] never\n"), "madvise");
  EXPECT_EQ(chosen_in("always madvise [never]"), "never");
  EXPECT_EQ(chosen_in(""), "");
  EXPECT_EQ(chosen_in("]["), "");
}

}  // namespace
}  // namespace hipcache::cli
