#include "hipcache/protocol/channel.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <random>
#include <thread>

#include "protocol/samples.h"
#include "support/scratch.h"

namespace hipcache::protocol {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using testing::HasSubstr;

std::string header(std::uint32_t length, std::uint32_t descriptors, std::string magic = "HCC1") {
  for (const std::uint32_t number : {length, descriptors})
    for (unsigned byte = 0; byte < 4; ++byte) magic += static_cast<char>(number >> (8 * byte));
  return magic;
}

std::size_t open_descriptors() {
  const Result<std::vector<std::string>> names = list_directory("/proc/self/fd");
  return names ? names->size() : 0;
}

// Two ends: a channel, and a raw socket on which anything can be said.
class ChannelFault : public testing::Test {
 protected:
  ChannelFault() {
    std::array<int, 2> ends{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    channel.emplace(UniqueFd(ends[0]));
    raw.reset(ends[1]);
  }

  void say(const std::string& bytes) {
    ASSERT_EQ(send(raw.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }

  void say_with_descriptors(const std::string& bytes, std::size_t count) {
    const UniqueFd null(open("/dev/null", O_RDONLY | O_CLOEXEC));
    const std::vector<int> descriptors(count, null.get());
    std::vector<char> control(CMSG_SPACE(sizeof(int) * count));
    std::string copy = bytes;
    iovec piece{copy.data(), copy.size()};
    msghdr envelope{};
    envelope.msg_iov = &piece;
    envelope.msg_iovlen = 1;
    envelope.msg_control = control.data();
    envelope.msg_controllen = control.size();
    cmsghdr* carried = CMSG_FIRSTHDR(&envelope);
    carried->cmsg_level = SOL_SOCKET;
    carried->cmsg_type = SCM_RIGHTS;
    carried->cmsg_len = CMSG_LEN(sizeof(int) * count);
    std::memcpy(CMSG_DATA(carried), descriptors.data(), sizeof(int) * count);
    ASSERT_EQ(sendmsg(raw.get(), &envelope, MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }

  ErrorCode code_of_receive(std::chrono::milliseconds deadline = 5s) {
    Result<Received> received = channel->receive(deadline);
    return received ? ErrorCode::other : received.error().code;
  }

  std::string error_of_receive(std::chrono::milliseconds deadline = 5s) {
    Result<Received> received = channel->receive(deadline);
    return received ? "no error" : received.error().message;
  }

  std::optional<Channel> channel;
  UniqueFd raw;
};

TEST_F(ChannelFault, AClosedPeerIsToldApartFromEverythingElse) {
  raw.reset();
  EXPECT_EQ(code_of_receive(), ErrorCode::closed);
  EXPECT_EQ(channel->send(KeepWaiting{}, 1s).error().code, ErrorCode::closed);
}

TEST_F(ChannelFault, SilenceEndsAtTheDeadlineAndDoesNotSpoilTheChannel) {
  EXPECT_EQ(code_of_receive(1ms), ErrorCode::timed_out);
  Channel peer(std::move(raw));
  ASSERT_TRUE(peer.send(Busy{"now"}, 1s));
  EXPECT_EQ(error_of_receive(), "no error");
}

TEST_F(ChannelFault, GarbageIsNamed) {
  say("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(error_of_receive(), "garbage instead of a message");
}

TEST_F(ChannelFault, AnOversizedMessageIsRefusedByItsHeaderAlone) {
  say(header(kMessageLimit + 1, 0));
  EXPECT_THAT(error_of_receive(), HasSubstr("exceeds the limit"));
}

TEST_F(ChannelFault, HalfAHeaderIsNamedWhetherThePeerStallsOrCloses) {
  say(header(5, 0).substr(0, 7));
  const Result<Received> half = channel->receive(1ms);
  ASSERT_FALSE(half);
  EXPECT_THAT(half.error().message, HasSubstr("7 of 12 bytes of its header"));
  EXPECT_EQ(half.error().code, ErrorCode::other) << "such a channel is of no further use";
}

TEST_F(ChannelFault, HalfABodyIsNamed) {
  say(header(100, 0) + "some");
  raw.reset();
  EXPECT_THAT(error_of_receive(), HasSubstr("4 of 100 bytes of its body"));
}

TEST_F(ChannelFault, ABodyThatIsNoMessageIsNamed) {
  say(header(4, 0) + "\xff\xff\xff\xff");
  EXPECT_THAT(error_of_receive(), HasSubstr("garbage"));
}

TEST_F(ChannelFault, DescriptorsThatWereNotAnnouncedAreRefusedAndClosed) {
  const std::size_t before = open_descriptors();
  say_with_descriptors(header(0, 0), 3);
  EXPECT_THAT(error_of_receive(), HasSubstr("announces 0 descriptors and carries 3"));
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(ChannelFault, AnnouncedDescriptorsThatDoNotComeAreRefused) {
  say(header(0, 2));
  EXPECT_THAT(error_of_receive(), HasSubstr("announces 2 descriptors and carries 0"));
}

TEST_F(ChannelFault, MoreDescriptorsThanTheLimitAreRefusedAndClosed) {
  const std::size_t before = open_descriptors();
  say_with_descriptors(header(0, kDescriptorLimit + 3), kDescriptorLimit + 3);
  EXPECT_THAT(error_of_receive(), HasSubstr("more than 250 descriptors"));
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(ChannelFault, DescriptorsInTheMiddleOfAMessageAreRefusedAndClosed) {
  const std::size_t before = open_descriptors();
  say(header(8, 0));
  say_with_descriptors("12345678", 1);
  EXPECT_THAT(error_of_receive(), HasSubstr("in the middle"));
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(ChannelFault, SendsNothingThatTheOtherSideWouldRefuse) {
  EXPECT_THAT(channel->send(Busy{std::string(kMessageLimit, 'x')}, 1s).error().message, HasSubstr("the limit is"));
  EXPECT_THAT(channel->send(KeepWaiting{}, std::vector<int>(kDescriptorLimit + 1, 0), 1s).error().message,
              HasSubstr("251 descriptors"));
  Channel peer(std::move(raw));
  EXPECT_EQ(peer.receive(1ms).error().code, ErrorCode::timed_out);
}

TEST_F(ChannelFault, APeerThatDoesNotReadEndsASendAtItsDeadline) {
  EXPECT_EQ(channel->send(Busy{std::string(4u << 20, 'x')}, 10ms).error().code, ErrorCode::timed_out);
}

TEST_F(ChannelFault, AnyBytesWhateverAreAnErrorOrAMessageAndLeakNothing) {
  std::mt19937 random(42);
  const std::size_t before = open_descriptors();
  for (int round = 0; round < 500; ++round) {
    std::array<int, 2> ends{};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    Channel victim{UniqueFd(ends[0])};
    raw.reset(ends[1]);
    const std::string body = encode(samples()[random() % samples().size()].message);
    std::string bytes = header(static_cast<std::uint32_t>(body.size()), 1) + body;
    bytes[random() % bytes.size()] = static_cast<char>(random());
    say_with_descriptors(bytes.substr(0, 1 + random() % bytes.size()), 1 + random() % 3);
    raw.reset();
    const Result<Received> received = victim.receive(5s);
    if (received) {
      EXPECT_EQ(received->descriptors.size(), 1u);
    }
  }
  raw = UniqueFd(dup(channel->fd()));
  EXPECT_EQ(open_descriptors(), before);
}

class ChannelPair : public ChannelFault {
 protected:
  ChannelPair() : peer(std::move(raw)) {}
  Channel peer;
};

TEST_F(ChannelPair, CarriesEveryKindOfMessage) {
  for (const Sample& sample : samples()) {
    ASSERT_TRUE(peer.send(sample.message, 1s)) << sample.name;
    Result<Received> received = channel->receive(1s);
    ASSERT_TRUE(received) << sample.name;
    EXPECT_EQ(encode(received->message), encode(sample.message));
    EXPECT_TRUE(received->descriptors.empty());
  }
}

TEST_F(ChannelPair, CarriesDescriptorsInTheirOrderAndCloseOnExec) {
  const Result<UniqueFd> first = sealed_memory("first", "first");
  const Result<UniqueFd> second = sealed_memory("second", "second");
  ASSERT_TRUE(peer.send(Finish{}, {first->get(), second->get()}, 1s));
  Result<Received> received = channel->receive(1s);
  ASSERT_TRUE(received);
  ASSERT_EQ(received->descriptors.size(), 2u);
  char bytes[8] = {};
  ASSERT_EQ(pread(received->descriptors[0].get(), bytes, sizeof bytes, 0), 5);
  EXPECT_STREQ(bytes, "first");
  ASSERT_EQ(pread(received->descriptors[1].get(), bytes, sizeof bytes, 0), 6);
  EXPECT_EQ(fcntl(received->descriptors[0].get(), F_GETFD), FD_CLOEXEC);
}

TEST_F(ChannelPair, KeepsDescriptorsWithTheirMessagesWhenManyAreUnderWay) {
  const Result<UniqueFd> memory = sealed_memory("x", "x");
  for (std::size_t count : {0u, 3u, 0u, 16u, 1u})
    ASSERT_TRUE(peer.send(Finish{}, std::vector<int>(count, memory->get()), 1s));
  for (std::size_t count : {0u, 3u, 0u, 16u, 1u}) {
    Result<Received> received = channel->receive(1s);
    ASSERT_TRUE(received) << received.error().message;
    EXPECT_EQ(received->descriptors.size(), count);
  }
}

TEST_F(ChannelPair, CarriesALargeMessageThroughASmallBuffer) {
  const Message large = Finish{0, std::string(kMessageLimit - 100, 'o'), "", {}, {}};
  std::thread sender([&] { EXPECT_TRUE(peer.send(large, 60s)); });
  Result<Received> received = channel->receive(60s);
  sender.join();
  ASSERT_TRUE(received) << received.error().message;
  EXPECT_EQ(std::get<Finish>(received->message).stdout_text.size(), kMessageLimit - 100);
}

TEST_F(ChannelPair, SendsWhileItReceives) {
  std::thread there([&] {
    for (int count = 0; count < 200; ++count) EXPECT_TRUE(peer.send(Busy{"there"}, 10s));
  });
  std::thread here([&] {
    for (int count = 0; count < 200; ++count) EXPECT_TRUE(channel->send(Busy{"here"}, 10s));
  });
  for (int count = 0; count < 200; ++count) EXPECT_TRUE(channel->receive(10s));
  for (int count = 0; count < 200; ++count) EXPECT_TRUE(peer.receive(10s));
  there.join();
  here.join();
}

}  // namespace
}  // namespace hipcache::protocol
