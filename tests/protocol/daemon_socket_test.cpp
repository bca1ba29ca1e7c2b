#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "hipcache/protocol/channel.h"
#include "hipcache/protocol/daemon_socket.h"
#include "support/scratch.h"

namespace hipcache::protocol {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class Socket : public testing::Test {
 protected:
  support::Scratch scratch;
  std::string path = scratch / "daemon.sock";
};

TEST_F(Socket, LiesInTheDirectoryOfThisUserAndView) {
  EXPECT_EQ(socket_path("/cache").value(), "/cache/" + daemon_name() + "/daemon.sock");
  EXPECT_TRUE(is_daemon_name(daemon_name()));
  EXPECT_TRUE(is_daemon_name("1000-0123abcd", 1000));
  for (const char* other : {"1000-0123abcg", "1000-0123abc", "100-0123abcd", "1000-", "store", ""})
    EXPECT_FALSE(is_daemon_name(other, 1000)) << other;
}

TEST_F(Socket, IsAnotherForEachUserMountNamespaceAndRoot) {
  const MountView view{4026531841, 2049, 2};
  const std::string name = daemon_name(view, 1000);
  EXPECT_EQ(name, daemon_name(view, 1000));
  EXPECT_NE(name, daemon_name(view, 1001));
  EXPECT_NE(name, daemon_name({4026531842, 2049, 2}, 1000));
  EXPECT_NE(name, daemon_name({4026531841, 2050, 2}, 1000));
  EXPECT_NE(name, daemon_name({4026531841, 2049, 3}, 1000));
}

TEST_F(Socket, APathTooLongIsAnErrorThatNamesTheLimitAndTheMend) {
  const Result<std::string> made = socket_path("/" + std::string(120, 'd'));
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr("107"));
  EXPECT_THAT(made.error().message, HasSubstr("HIPCACHE_DIR"));
}

TEST_F(Socket, ConnectsAndAcceptsItsOwnUser) {
  const Result<UniqueFd> listener = listen_at(path);
  ASSERT_TRUE(listener) << listener.error().message;
  Result<UniqueFd> here = connect_to(path, 1s);
  ASSERT_TRUE(here);
  Result<UniqueFd> there = accept_from(listener->get());
  ASSERT_TRUE(there);
  Channel client(std::move(*here));
  Channel daemon(std::move(*there));
  ASSERT_TRUE(client.send(ControlRequest{build_id(), ControlKind::ping}, 1s));
  EXPECT_TRUE(daemon.receive(1s));
}

TEST_F(Socket, IsForItsUserAlone) {
  ASSERT_TRUE(listen_at(path));
  struct stat status{};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(Socket, ReplacesAStaleFile) {
  ASSERT_TRUE(listen_at(path));
  EXPECT_FALSE(connect_to(path, 1s)) << "nobody listens any more";
  EXPECT_TRUE(listen_at(path));
}

TEST_F(Socket, SaysThatNobodyIsThere) {
  EXPECT_THAT(connect_to(path, 1s).error().message, HasSubstr("cannot connect to " + path));
}

TEST_F(Socket, DoesNotWaitLongForAListenerWhoseQueueIsFull) {
  const Result<UniqueFd> full = listen_at(path);
  ASSERT_TRUE(full);
  ASSERT_EQ(listen(full->get(), 0), 0);  // room for one
  std::vector<UniqueFd> waiting;
  for (int count = 0; count < 4; ++count) {
    Result<UniqueFd> queued = connect_to(path, 20ms);
    if (!queued) {
      EXPECT_THAT(queued.error().message, HasSubstr("timed out"));
      return;
    }
    waiting.push_back(std::move(*queued));
  }
  FAIL() << "the queue of a listener that accepts nothing is never full";
}

}  // namespace
}  // namespace hipcache::protocol
