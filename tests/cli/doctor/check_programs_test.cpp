// The installation, with stand-ins for some of its programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace hipcache::cli
