// Files that were written within the same tick of the clock in which they are opened: a later change may leave them in
// the same state, and the record says so. An input is waited for, once per process.
#include <gtest/gtest.h>

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/vfs.h>

#include <algorithm>
#include <fstream>

#include "hipcache/trace/seen.h"
#include "trace/file_system_times.h"
#include "trace/traced.h"

namespace hipcache::trace {
namespace {

class Tick : public testing::Test {
 protected:
  // The program's files lie in there.
  bool opens_past_the_tick(const std::string& directory) {
    return traced_.run(on_old_kernel({program_, directory, "read", "once"})).exit_code == 0;
  }

  // Opens until one file is opened within the tick in which it was written. Whether just that one is recorded so.
  testing::AssertionResult records_fresh_file(const std::string& directory, const std::string& how) {
    if (traced_.run(on_old_kernel({program_, directory, how, "until-fresh"})).exit_code != 0)
      return testing::AssertionFailure() << "every file was opened after its tick";
    const std::string last = directory + "/" + std::to_string(std::stoi(traced_.output));
    if (may_change_unseen(last)) return testing::AssertionSuccess();
    return testing::AssertionFailure() << last << " is recorded as if later changes would show\n" << traced_.dump();
  }

  // As if the kernel had no fine-grained time stamps.
  static std::vector<std::string> on_old_kernel(std::vector<std::string> argv) {
    argv.insert(argv.begin(), {"setarch", "--uname-2.6"});
    return argv;
  }

  bool may_change_unseen(const std::string& path) const {
    const auto& records = traced_.trace.records;
    return std::any_of(records.begin(), records.end(),
                       [&](const Record& record) { return record.text == path && record.may_change_unseen; });
  }

  const std::string program_ = test_program("trace_fresh");
  Traced traced_;
  support::Scratch elsewhere_;
};

TEST_F(Tick, AnInputThatWasJustWrittenIsOpenedWhenItsTickIsOver) {
  for (int time = 0; time < 10; ++time) {
    EXPECT_TRUE(opens_past_the_tick(elsewhere_.path()));
    EXPECT_TRUE(traced_.has(Kind::open_read, true, elsewhere_ / "0")) << traced_.dump();
    EXPECT_FALSE(may_change_unseen(elsewhere_ / "0"));
  }
}

TEST_F(Tick, OneProcessWaitsOnce) { EXPECT_TRUE(records_fresh_file(elsewhere_.path(), "read")); }

TEST_F(Tick, WhatIsOpenedForWritingTooIsNotWaitedFor) { EXPECT_TRUE(records_fresh_file(elsewhere_.path(), "update")); }

TEST_F(Tick, ATemporaryFileBesideTheTraceIsNotWaitedFor) {
  EXPECT_TRUE(records_fresh_file(traced_.scratch.path(), "read"));
}

TEST_F(Tick, WhatWasWrittenLongAgoChangesVisibly) {
  EXPECT_EQ(traced_.run({"cat", "/etc/passwd"}).exit_code, 0);
  EXPECT_TRUE(traced_.has(Kind::open_read, true, "/etc/passwd"));
  EXPECT_FALSE(may_change_unseen("/etc/passwd"));
}

// Linux 6.13: each change after a look has a time stamp of its own, so no tick need end.
TEST_F(Tick, OnAFileSystemWithFineTimesLaterChangesShowAtOnce) {
  struct utsname kernel = {};
  struct statfs system = {};
  ASSERT_EQ(uname(&kernel), 0);
  ASSERT_EQ(statfs(elsewhere_.path().c_str(), &system), 0);
  if (!trace_times_are_fine(static_cast<unsigned long>(system.f_type), kernel.release))
    GTEST_SKIP() << "no fine time stamps";
  for (const char* how : {"read", "update"}) {
    ASSERT_EQ(traced_.run({program_, elsewhere_.path(), how, "until-fresh"}).exit_code, 0) << "a tick was waited for";
    const std::string last = elsewhere_ / std::to_string(std::stoi(traced_.output));
    struct stat status = {};
    ASSERT_EQ(stat(last.c_str(), &status), 0);
    if (status.st_ctim.tv_nsec % 1'000'000 == 0) continue;
    EXPECT_FALSE(may_change_unseen(last)) << traced_.dump();
    const std::uint64_t before = seen_file(status);
    std::ofstream(last) << "BYTES";
    ASSERT_EQ(stat(last.c_str(), &status), 0);
    EXPECT_NE(seen_file(status), before);
  }
}

TEST(FineTimes, AreThoseOfFourFileSystemsFromLinux613On) {
  for (const char* release : {"6.13.0", "6.18.44-vm", "7.0.1", "10.2"})
    EXPECT_TRUE(trace_times_are_fine(TMPFS_MAGIC, release)) << release;
  for (const char* release : {"6.12.9", "5.15.0-91-generic", "2.6.78", "6", "", "x"})
    EXPECT_FALSE(trace_times_are_fine(TMPFS_MAGIC, release)) << release;
  for (const unsigned long system : {0xef53UL, 0x9123683eUL, 0x58465342UL})
    EXPECT_TRUE(trace_times_are_fine(system, "6.13.0")) << system;
  for (const unsigned long system : {0x6969UL, 0x794c7630UL, 0x65735546UL})
    EXPECT_FALSE(trace_times_are_fine(system, "6.13.0")) << system;
}

}  // namespace
}  // namespace hipcache::trace
