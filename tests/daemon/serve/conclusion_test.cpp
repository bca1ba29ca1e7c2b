#include "daemon/serve/reply.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <optional>

#include "daemon/services_in_memory.h"

namespace hipcache::daemon {
namespace {

using namespace std::chrono_literals;
using stats::Outcome;

class ConclusionTest : public testing::Test {
 protected:
  ConclusionTest() {
    std::array<int, 2> ends{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    client_.emplace(UniqueFd(ends[0]));
    daemon_.emplace(UniqueFd(ends[1]));
  }

  stats::Snapshot counts() const {
    const stats::Snapshot counts = services_.counters.snapshot();
    EXPECT_EQ(counts.compile_requests, counts.hit + counts.partial + counts.miss + counts.passthrough + counts.aborted);
    return counts;
  }

  const ServicesInMemory<> made_;
  const Services& services_ = made_.services;
  std::optional<protocol::Channel> client_, daemon_;
};

TEST_F(ConclusionTest, CountsARequestAsWhatItsClientWasTold) {
  Conclusion(*daemon_, services_).finish(Outcome::partial, {});
  EXPECT_TRUE(client_->receive(10s).ok());
  Conclusion(*daemon_, services_).pass_through({Reason::no_input, "at all"});
  EXPECT_TRUE(client_->receive(10s).ok());
  EXPECT_EQ(counts().partial, 1u);
  EXPECT_EQ(counts().passthrough, 1u);
  EXPECT_EQ(counts().not_cached.at("no-input"), 1u);
  EXPECT_EQ(counts().compile_requests, 2u);
}

TEST_F(ConclusionTest, SaysAndCountsOneEndOnly) {
  {
    Conclusion conclusion(*daemon_, services_);
    EXPECT_TRUE(conclusion.finish(Outcome::hit, {}));
    conclusion.pass_through({Reason::no_input, ""});
    EXPECT_FALSE(conclusion.finish(Outcome::miss, {}));
  }
  EXPECT_TRUE(client_->receive(10s).ok());
  EXPECT_FALSE(client_->receive(0ms).ok());
  EXPECT_EQ(counts().hit, 1u);
  EXPECT_EQ(counts().compile_requests, 1u);
  EXPECT_TRUE(counts().not_cached.empty());
}

TEST_F(ConclusionTest, CountsARequestWhoseClientIsGoneAsAborted) {
  client_.reset();
  EXPECT_FALSE(Conclusion(*daemon_, services_).finish(Outcome::hit, {}));
  Conclusion(*daemon_, services_).pass_through({Reason::step_failed, "connection closed"});
  EXPECT_EQ(counts().aborted, 2u);
  EXPECT_EQ(counts().compile_requests, 2u);
  EXPECT_TRUE(counts().not_cached.empty());
}

TEST_F(ConclusionTest, CountsARequestThatWasToldNothingAsAborted) {
  {
    const Conclusion conclusion(*daemon_, services_);
  }
  EXPECT_EQ(counts().aborted, 1u);
  EXPECT_EQ(counts().compile_requests, 1u);
}

}  // namespace
}  // namespace hipcache::daemon
