#include "daemon/shared/pending_writes.h"

#include <gtest/gtest.h>

#include <atomic>
#include <list>
#include <optional>
#include <thread>

#include "support/comes_true.h"

namespace hipcache::daemon {
namespace {

using namespace std::chrono_literals;

const Digest kKey = digest_of("a request");
const Digest kOther = digest_of("another");
constexpr auto kLong = 60s;

class PendingRequests : public testing::Test {
 protected:
  // Whether somebody who waits comes back only after the mark has ended.
  template <typename Wait>
  bool waits(PendingWrites::Mark mark, Wait wait) {
    std::optional<PendingWrites::Mark> held(std::move(mark));
    std::atomic<bool> asked{false};
    std::atomic<bool> ended{false};
    bool saw_end = false;
    std::thread waiter([&] {
      asked = true;
      wait();
      saw_end = ended;
    });
    EXPECT_TRUE(support::comes_true([&] { return asked.load(); }));
    ended = true;
    held.reset();
    waiter.join();
    return saw_end;
  }

  PendingWrites table_;
};

TEST_F(PendingRequests, HoldUpThoseWhoAskForTheirKeys) {
  EXPECT_TRUE(waits(table_.mark({kOther, kKey}), [&] { table_.wait_for(kKey, kLong); }));
}

TEST_F(PendingRequests, HoldUpThoseWhoAskForAll) {
  EXPECT_TRUE(waits(table_.mark({kKey}), [&] { table_.wait_for_all(kLong); }));
}

TEST_F(PendingRequests, HoldUpNobodyElse) {
  table_.wait_for_all(kLong);
  const PendingWrites::Mark mark = table_.mark({kKey});
  table_.wait_for(kOther, kLong);
}

TEST_F(PendingRequests, HoldUpNobodyForLongerThanTheLimit) {
  const PendingWrites::Mark mark = table_.mark({kKey});
  table_.wait_for(kKey, 0s);
  table_.wait_for_all(0s);
}

TEST_F(PendingRequests, ThatCameLaterHoldUpNobodyWhoWaitsAlready) {
  std::list<PendingWrites::Mark> marks;
  marks.push_back(table_.mark({kKey}));
  std::atomic<bool> through{false};
  std::thread waiter([&] {
    table_.wait_for(kKey, kLong);
    through = true;
  });
  EXPECT_TRUE(support::comes_true([&] {
    marks.push_back(table_.mark({kKey}));
    std::this_thread::yield();
    marks.pop_front();
    return through.load();
  }));
  waiter.join();
}

}  // namespace
}  // namespace hipcache::daemon
