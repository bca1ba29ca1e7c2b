#include "cli/doctor/trial/trial.h"

#include <gtest/gtest.h>

namespace hipcache::cli {
namespace {

TEST(ProgramRun, KeepsWhatIsPrintedAndTheExitCode) {
  const Ran ran = run_program({"/bin/sh", "-c", "echo out; echo err >&2; exit 3"}, {}).value();
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_EQ(ran.out, "out\n");
  EXPECT_EQ(ran.err, "err\n");
}

TEST(ProgramRun, AProgramThatIsMissingIsAnError) { EXPECT_FALSE(run_program({"/no/such/program"}, {})); }

TEST(FirstError, IsTheLineThatSaysSoElseTheFirst) {
  EXPECT_EQ(first_error("a.c:1: warning: x\na.c:2: error: y\nmore"), "a.c:2: error: y");
  EXPECT_EQ(first_error("clang: failed\nmore"), "clang: failed");
  EXPECT_EQ(first_error("error: at once"), "error: at once");
  EXPECT_EQ(first_error(""), "");
}

}  // namespace
}  // namespace hipcache::cli
