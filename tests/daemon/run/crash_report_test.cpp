// Crash reports as LLVM's programs print them, and what only looks like one.
#include "daemon/run/plain_run.h"

#include <gtest/gtest.h>

namespace hipcache::daemon {
namespace {

TEST(CrashReport, IsFoundByItsHeadingOrItsFirstFrame) {
  EXPECT_TRUE(holds_crash_report("PLEASE submit a bug report\nStack dump:\n0.\tProgram arguments: clang\n"));
  EXPECT_TRUE(
      holds_crash_report(" #0 0x00007f4b llvm::sys::PrintStackTrace(llvm::raw_ostream&, int)\n #1 0x00007f4a\n"));
  EXPECT_TRUE(holds_crash_report("a.cpp:1:1: warning: w\n#0 0x00007f4b (/usr/lib/libLLVM.so+0xeb5070)"));
}

TEST(CrashReport, IsNotFoundInOtherMessages) {
  for (const char* text : {"", "\n\n", "a.cpp:1:1: warning: Stack dump:\n", "    3 | #0 0x1\n", "#1 0x1\n", "   "})
    EXPECT_FALSE(holds_crash_report(text)) << text;
}

}  // namespace
}  // namespace hipcache::daemon
