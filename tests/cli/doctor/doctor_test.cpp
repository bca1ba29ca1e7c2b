// The doctor's findings, and what it says of the installation, with stand-ins for some of its programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/doctor/checks.h"
#include "client/launch_fixture.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::cli {
namespace {

using testing::HasSubstr;

class Programs : public client::LaunchTest {
 protected:
  // What the doctor says, with no compiler in PATH, in a directory that is no build's.
  client::Ended doctor() const {
    return run({"/usr/bin/env", "-C", scratch.make_directory("elsewhere"), hipcache(), "--doctor"},
               {"PATH=/nonexistent"});
  }

  // A program that says that it is of a version.
  std::string stand_in(const std::string& name, const std::string& version, const std::string& more = "") const {
    return script(helper(name), "[ \"$1\" = --version ] || exit 3\necho '" + name + " " + version + "'\n" + more);
  }
};

TEST_F(Programs, AMissingDaemonIsAnErrorThatNamesIt) {
  const client::Ended ended = doctor();
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.out, HasSubstr("error    cannot run " + (scratch / helper("hipcached"))));
  EXPECT_EQ(ended.err, "");
}

TEST_F(Programs, ADaemonOfAnotherVersionIsAnError) {
  stand_in("hipcached", "0.0.1/1");
  EXPECT_THAT(doctor().out, HasSubstr("is of another version than " + protocol::build_id() + " (hipcached 0.0.1/1)"));
}

TEST_F(Programs, ATraceLibraryOfAnotherVersionIsAnError) {
  const std::string library = scratch.write("lib/libhipcache-trace.so", "hipcache-trace 0.0.1");
  stand_in("hipcached", protocol::build_id(), "echo trace " + library + "\necho remote cannot use it\n");
  const client::Ended ended = doctor();
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.out, HasSubstr("error    " + library + " is of another version"));
  EXPECT_THAT(ended.out, HasSubstr("note     cannot use it")) << "hipcache-remote is needed for shared caches alone";
  EXPECT_THAT(ended.out, HasSubstr("the daemon does not start"));
}

TEST_F(Programs, WithoutACompilerThereIsAWarning) {
  EXPECT_THAT(doctor().out, HasSubstr("warning  no clang++, amdclang++, hipcc or g++ is in PATH"));
}

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

stats::Tier tier() {
  stats::Tier tier;
  tier.url = "http://cache/";
  tier.state = "ok";
  return tier;
}

TEST(Tiers, OneThatAnswersIsOkWithItsTime) {
  stats::Tier answering = tier();
  answering.misses = 3, answering.median_us = 1'260;
  EXPECT_EQ(to_line(finding_on(answering)), "ok       shared cache http://cache/ answers in 1.3 ms\n");
}

TEST(Tiers, OneThatIsNotAskedIsAnErrorWithItsReason) {
  stats::Tier broken = tier();
  broken.state = "connection refused";
  EXPECT_EQ(finding_on(broken).level, Level::error);
  EXPECT_THAT(finding_on(broken).text, HasSubstr("http://cache/ is not used: connection refused"));
}

TEST(Tiers, OneWhoseLookUpsAllFailIsAnError) {
  stats::Tier silent = tier();
  silent.errors = 1;
  EXPECT_EQ(finding_on(silent).level, Level::error);
}

TEST(Tiers, TheReasonOfFailuresIsTold) {
  stats::Tier refused = tier();
  refused.errors = 2, refused.state = "fails: cannot connect: Connection refused";
  EXPECT_EQ(finding_on(refused).level, Level::error);
  EXPECT_THAT(finding_on(refused).text,
              HasSubstr("http://cache/ does not answer: fails: cannot connect: Connection refused; 2 look-ups failed"));
  refused.misses = 1;
  EXPECT_EQ(finding_on(refused).level, Level::warning);
  EXPECT_THAT(finding_on(refused).text, HasSubstr("answers, but fails: cannot connect"));
}

TEST(Tiers, FailuresAreAWarningAndSilenceIsANote) {
  stats::Tier failing = tier();
  failing.errors = 2, failing.misses = 1;
  EXPECT_EQ(finding_on(failing).level, Level::warning);
  EXPECT_EQ(finding_on(tier()).level, Level::note);
}

}  // namespace
}  // namespace hipcache::cli
