#include "hipcache/protocol/remote_messages.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <string>

namespace hipcache::protocol {
namespace {

using namespace std::chrono_literals;

class RemoteMessages : public ::testing::Test {
 protected:
  RemoteMessages() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()), 0); }

  std::array<int, 2> ends_{};
};

// Beyond kContentLimit it travels as a memory file.
TEST_F(RemoteMessages, CarryABlobOfAnySize) {
  Channel from((UniqueFd(ends_[0])));
  Channel to((UniqueFd(ends_[1])));
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kContentLimit, kContentLimit + 1, 8 * kContentLimit}) {
    const std::string bytes(size, 'x');
    ASSERT_TRUE(send(from, RemoteStage{7, {digest_of(bytes), bytes}}, 10s));
    const Result<RemoteMessage> received = receive_remote(to, 10s);
    ASSERT_TRUE(received) << received.error().message;
    EXPECT_EQ(std::get<RemoteStage>(*received).blob, (RemoteBlob{digest_of(bytes), bytes})) << size;
  }
}

}  // namespace
}  // namespace hipcache::protocol
