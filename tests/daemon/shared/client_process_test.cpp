#include "daemon/shared/client_process.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "hipcache/base/files.h"
#include "support/stopped_process.h"

namespace hipcache::daemon {
namespace {

TEST(ClientProcess, IsKnownByItsSocket) {
  std::array<int, 2> ends{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  const UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  EXPECT_EQ(peer_process(ours.get()), getpid());
  EXPECT_EQ(peer_process(-1), 0);
}

TEST(ClientProcess, IsStoppedFromTheSignalToTheNext) {
  const support::StoppableProcess client;
  EXPECT_FALSE(is_stopped(client.pid()));
  client.stop();
  EXPECT_TRUE(is_stopped(client.pid()));
  client.go_on();
  EXPECT_FALSE(is_stopped(client.pid()));
}

TEST(ClientProcess, ThatIsGoneOrNotKnownIsNotStopped) {
  EXPECT_FALSE(is_stopped(0));
  EXPECT_FALSE(is_stopped(-1));
  EXPECT_FALSE(is_stopped(1 << 30));
}

}  // namespace
}  // namespace hipcache::daemon
