#include "hipcache/client/conversation.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <chrono>
#include <functional>
#include <thread>

#include "support/scratch.h"

namespace hipcache::client {
namespace {

using namespace std::chrono_literals;
using protocol::Channel;

// Limits so short that a test of them takes no time.
constexpr Timeouts kHasty{
    .connect = 10ms, .start = 10ms, .send = 5s, .first_reply = 20ms, .silence = 20ms, .leave = 10ms, .terminate = 5s};

class ConversationTest : public testing::Test {
 protected:
  ConversationTest() {
    std::array<int, 2> ends{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    ours = UniqueFd(ends[0]);
    daemons.emplace(UniqueFd(ends[1]));
  }

  Result<Reply> converse() {
    Channel channel(std::move(ours));
    return converse_over(channel, request, scratch / "tmp", kHasty);
  }

  std::string error() {
    const Result<Reply> reply = converse();
    return reply ? "no error" : reply.error().message;
  }

  support::Scratch scratch;
  protocol::CompileRequest request;
  UniqueFd ours;
  std::optional<Channel> daemons;
};

TEST_F(ConversationTest, EndsWhenTheDaemonNeverReplies) { EXPECT_EQ(error(), "the daemon says nothing"); }

TEST_F(ConversationTest, EndsWhenTheDaemonFallsSilentAfterASignOfLife) {
  ASSERT_TRUE(daemons->send(protocol::KeepWaiting{}, 1s));
  EXPECT_EQ(error(), "the daemon says nothing");
}

TEST_F(ConversationTest, GoesOnAfterSignsOfLife) {
  for (int count = 0; count < 3; ++count) ASSERT_TRUE(daemons->send(protocol::KeepWaiting{}, 1s));
  ASSERT_TRUE(daemons->send(protocol::PassThrough{"reason"}, 1s));
  const Result<Reply> reply = converse();
  ASSERT_TRUE(reply);
  EXPECT_EQ(std::get<protocol::PassThrough>(reply->message).reason, "reason");
}

TEST_F(ConversationTest, WaitsForASilentDaemonWhileAStepOfOursRuns) {
  protocol::RunStep step;
  step.directory = scratch.make_directory("tmp/r1");
  step.commands = {{"/bin/sh", {"sh", "-c", "read line < " + (scratch / "pipe")}}};
  ASSERT_EQ(mkfifo((scratch / "pipe").c_str(), 0600), 0);
  ASSERT_TRUE(daemons->send(step, 1s));
  std::thread daemon([&] {
    EXPECT_TRUE(daemons->receive(60s));
    std::this_thread::sleep_for(5 * kHasty.silence);  // what the client is to bear
    EXPECT_TRUE(write_all(UniqueFd(open((scratch / "pipe").c_str(), O_WRONLY)).get(), "go\n", "pipe"));
    EXPECT_TRUE(daemons->receive(60s));
    EXPECT_TRUE(daemons->send(protocol::Finish{}, 1s));
  });
  EXPECT_EQ(error(), "no error");
  daemon.join();
}

TEST_F(ConversationTest, ReturnsThatTheVersionsDiffer) {
  ASSERT_TRUE(daemons->send(protocol::VersionMismatch{"9/9"}, 1s));
  const Result<Reply> reply = converse();
  ASSERT_TRUE(reply);
  EXPECT_TRUE(std::holds_alternative<protocol::VersionMismatch>(reply->message));
}

TEST_F(ConversationTest, TellsAClosedConnectionSoThatItCanBeTriedAgain) {
  daemons.reset();
  const Result<Reply> reply = converse();
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::closed);
}

}  // namespace
}  // namespace hipcache::client
