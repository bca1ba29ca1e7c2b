// Files that were written within the same tick of the clock in which they are opened: a later change may leave them in
// the same state, and the record says so. An input is waited for, once per process.
#include <gtest/gtest.h>

#include <algorithm>

#include "trace/traced.h"

namespace hipcache::trace {
namespace {

class Tick : public testing::Test {
 protected:
  // The program's files lie in there.
  bool opens_past_the_tick(const std::string& directory) {
    return traced_.run({program_, directory, "read", "once"}).exit_code == 0;
  }

  // Opens until one file is opened within the tick in which it was written. Whether just that one is recorded so.
  testing::AssertionResult records_fresh_file(const std::string& directory, const std::string& how) {
    if (traced_.run({program_, directory, how, "until-fresh"}).exit_code != 0)
      return testing::AssertionFailure() << "every file was opened after its tick";
    const std::string last = directory + "/" + std::to_string(std::stoi(traced_.output));
    if (may_change_unseen(last)) return testing::AssertionSuccess();
    return testing::AssertionFailure() << last << " is recorded as if later changes would show\n" << traced_.dump();
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

}  // namespace
}  // namespace hipcache::trace
