#include "hipcache/launcher/frame.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "hipcache/base/files.h"

namespace hipcache {
namespace {

using Header = std::array<char, HIPCACHE_FRAME_HEADER>;

TEST(Frame, HeaderIsMagicSizeAndDescriptorsInLittleEndian) {
  const launch_frame frame{.size = 0x01020304, .descriptors = 0xfa};
  Header header{};
  launch_put_header(&frame, header.data());
  EXPECT_EQ(std::string(header.data(), header.size()), std::string("HCC1\x04\x03\x02\x01\xfa\0\0\0", 12));
  launch_frame read{};
  ASSERT_TRUE(launch_get_header(header.data(), &read));
  EXPECT_EQ(read.size, frame.size);
  EXPECT_EQ(read.descriptors, frame.descriptors);
}

TEST(Frame, HeaderWithAnotherMagicIsRefused) {
  const launch_frame frame{.size = 1, .descriptors = 0};
  Header header{};
  launch_put_header(&frame, header.data());
  for (std::size_t byte = 0; byte < 4; ++byte) {
    Header other = header;
    other[byte] = static_cast<char>(other[byte] ^ 1);
    launch_frame read{};
    EXPECT_FALSE(launch_get_header(other.data(), &read)) << byte;
  }
}

struct Pair {
  UniqueFd sender;
  UniqueFd receiver;
};

Pair connected() {
  std::array<int, 2> ends{-1, -1};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// Sends one byte with that many descriptors, and returns the ones that arrive.
std::vector<UniqueFd> sent_and_received(std::size_t count) {
  const Pair pair = connected();
  const UniqueFd null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * HIPCACHE_DESCRIPTOR_LIMIT)> control{};
  char byte = 'x';
  iovec piece{&byte, 1};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  if (count > 0) {
    const std::vector<int> descriptors(count, null.get());
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
    cmsghdr* carried = CMSG_FIRSTHDR(&message);
    carried->cmsg_level = SOL_SOCKET;
    carried->cmsg_type = SCM_RIGHTS;
    carried->cmsg_len = CMSG_LEN(sizeof(int) * count);
    std::memcpy(CMSG_DATA(carried), descriptors.data(), sizeof(int) * count);
  }
  EXPECT_EQ(sendmsg(pair.sender.get(), &message, 0), 1);
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  EXPECT_EQ(recvmsg(pair.receiver.get(), &message, MSG_CMSG_CLOEXEC), 1);
  std::array<int, HIPCACHE_DESCRIPTOR_LIMIT> descriptors{};
  std::vector<UniqueFd> received;
  const std::size_t arrived = launch_get_descriptors(&message, descriptors.data());
  for (std::size_t index = 0; index < arrived; ++index) received.emplace_back(descriptors[index]);
  return received;
}

TEST(Frame, DescriptorsArriveAsManyAsWereSent) {
  for (const std::size_t count :
       {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{HIPCACHE_DESCRIPTOR_LIMIT}}) {
    const std::vector<UniqueFd> received = sent_and_received(count);
    ASSERT_EQ(received.size(), count);
    for (const UniqueFd& fd : received) EXPECT_NE(fcntl(fd.get(), F_GETFD), -1);
  }
}

}  // namespace
}  // namespace hipcache
