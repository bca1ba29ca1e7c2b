#include "hipcache/protocol/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace hipcache::protocol {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kReadPiece = 256 * 1024;
constexpr std::size_t kControlSize = CMSG_SPACE(sizeof(int) * kDescriptorLimit);

Error closed() { return {"connection closed by the other side", ErrorCode::closed}; }
Error timed_out() { return {"no message within the deadline", ErrorCode::timed_out}; }

using HeaderBytes = std::array<char, HIPCACHE_FRAME_HEADER>;

Error socket_error(const char* what) {
  if (errno == EPIPE || errno == ECONNRESET) return closed();
  return system_error(what, "the socket");
}

// Waits until the socket is ready for `events`; ErrorCode::timed_out if it is not in time. A closed
// peer counts as ready: the next call reports it.
Status wait_ready(int fd, short events, Clock::time_point until) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd waited{fd, events, 0};
    const int ready = poll(&waited, 1, static_cast<int>(std::clamp<decltype(left)>(left, 0, 1 << 30)));
    if (ready > 0) return done();
    if (ready == 0) return timed_out();
    if (errno != EINTR) return socket_error("cannot wait for");
  }
}

// Fills in a control message that carries the descriptors. The buffer must outlive the call that
// sends it.
void attach(const std::vector<int>& descriptors, std::array<char, kControlSize>& control, msghdr& envelope) {
  envelope.msg_control = control.data();
  envelope.msg_controllen = CMSG_SPACE(sizeof(int) * descriptors.size());
  cmsghdr* carried = CMSG_FIRSTHDR(&envelope);
  carried->cmsg_level = SOL_SOCKET;
  carried->cmsg_type = SCM_RIGHTS;
  carried->cmsg_len = CMSG_LEN(sizeof(int) * descriptors.size());
  std::memcpy(CMSG_DATA(carried), descriptors.data(), sizeof(int) * descriptors.size());
}

// Takes ownership of every received descriptor before any check, so that none leaks.
void collect(msghdr& envelope, std::vector<UniqueFd>& descriptors) {
  std::array<int, kDescriptorLimit> received;
  const std::size_t count = launch_get_descriptors(&envelope, received.data());
  for (std::size_t index = 0; index < count; ++index) descriptors.emplace_back(received[index]);
}

// Waits for one piece of at most `size` bytes. If `descriptors` is null, none may come with it: the
// kernel drops them.
Result<std::size_t> read_piece(int fd, char* to, std::size_t size, std::vector<UniqueFd>* descriptors,
                               Clock::time_point until) {
  alignas(cmsghdr) std::array<char, kControlSize> control;
  for (;;) {
    iovec target{to, size};
    msghdr envelope{};
    envelope.msg_iov = &target;
    envelope.msg_iovlen = 1;
    if (descriptors != nullptr) {
      envelope.msg_control = control.data();
      envelope.msg_controllen = control.size();
    }
    const ssize_t got = recvmsg(fd, &envelope, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got >= 0 && descriptors != nullptr) collect(envelope, *descriptors);
    if (got >= 0 && (envelope.msg_flags & MSG_CTRUNC) != 0)
      return Error{descriptors == nullptr ? "descriptors came in the middle of a message"
                                          : "a message carries more than " + std::to_string(kDescriptorLimit) +
                                                " descriptors, or this process can hold no more"};
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return socket_error("cannot read from");
    if (Status ready = wait_ready(fd, POLLIN, until); !ready) return ready.error();
  }
}

Error half_message(std::string_view part, std::size_t used, std::size_t size, const Error& why) {
  return Error{"half a message: " + std::to_string(used) + " of " + std::to_string(size) + " bytes of its " +
               std::string(part) + ", then " + why.message};
}

Result<HeaderBytes> read_header(int fd, std::vector<UniqueFd>& descriptors, Clock::time_point until) {
  HeaderBytes bytes;
  std::size_t used = 0;
  while (used < bytes.size()) {
    Result<std::size_t> got = read_piece(fd, bytes.data() + used, bytes.size() - used, &descriptors, until);
    if (got && *got == 0) got = closed();
    if (!got && used == 0) return got.error();
    if (!got) return half_message("header", used, bytes.size(), got.error());
    used += *got;
  }
  return bytes;
}

Result<launch_frame> check(const HeaderBytes& header, std::size_t descriptors) {
  launch_frame frame{};
  if (!launch_get_header(header.data(), &frame)) return Error{"garbage instead of a message"};
  if (frame.size > kMessageLimit)
    return Error{"a message of " + std::to_string(frame.size) + " bytes exceeds the limit of " +
                 std::to_string(kMessageLimit)};
  if (frame.descriptors != descriptors)
    return Error{"a message announces " + std::to_string(frame.descriptors) + " descriptors and carries " +
                 std::to_string(descriptors)};
  return frame;
}

// Grows with the bytes that arrive, so that a false length costs no memory.
Result<std::string> read_body(int fd, std::size_t length, Clock::time_point until) {
  std::string bytes;
  std::size_t used = 0;
  while (used < length) {
    bytes.resize(std::min(length, used + kReadPiece));
    Result<std::size_t> got = read_piece(fd, bytes.data() + used, bytes.size() - used, nullptr, until);
    if (got && *got == 0) got = closed();
    if (!got) return half_message("body", used, length, got.error());
    used += *got;
  }
  return bytes;
}

Status write_message(int fd, const HeaderBytes& header, const std::string& body, const std::vector<int>& descriptors,
                     Clock::time_point until) {
  alignas(cmsghdr) std::array<char, kControlSize> control{};
  std::size_t sent = 0;
  while (sent < header.size() + body.size()) {
    const std::size_t of_header = std::min(sent, header.size());
    const std::size_t of_body = sent - of_header;
    std::array<iovec, 2> pieces{iovec{const_cast<char*>(header.data()) + of_header, header.size() - of_header},
                                iovec{const_cast<char*>(body.data()) + of_body, body.size() - of_body}};
    msghdr envelope{};
    envelope.msg_iov = pieces.data();
    envelope.msg_iovlen = pieces.size();
    if (sent == 0 && !descriptors.empty()) attach(descriptors, control, envelope);
    const ssize_t written = sendmsg(fd, &envelope, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (written >= 0) {
      sent += static_cast<std::size_t>(written);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return socket_error("cannot write to");
    if (Status ready = wait_ready(fd, POLLOUT, until); !ready) return ready;
  }
  return done();
}

}  // namespace

Status Channel::send(const Message& message, const std::vector<int>& descriptors, std::chrono::milliseconds deadline) {
  return send_bytes(encode(message), descriptors, deadline);
}

Status Channel::send_bytes(const std::string& body, const std::vector<int>& descriptors,
                           std::chrono::milliseconds deadline) {
  const Clock::time_point until = Clock::now() + deadline;
  if (descriptors.size() > kDescriptorLimit)
    return Error{"cannot send " + std::to_string(descriptors.size()) + " descriptors, the limit is " +
                 std::to_string(kDescriptorLimit)};
  if (body.size() > kMessageLimit)
    return Error{"cannot send a message of " + std::to_string(body.size()) + " bytes, the limit is " +
                 std::to_string(kMessageLimit)};
  const launch_frame frame{.size = static_cast<std::uint32_t>(body.size()),
                           .descriptors = static_cast<std::uint32_t>(descriptors.size())};
  HeaderBytes header;
  launch_put_header(&frame, header.data());
  return write_message(socket_.get(), header, body, descriptors, until);
}

Result<Received> Channel::receive(std::chrono::milliseconds deadline) {
  Result<ReceivedBytes> received = receive_bytes(deadline);
  if (!received) return received.error();
  Result<Message> message = decode(received->bytes);
  if (!message) return message.error();
  return Received{std::move(*message), std::move(received->descriptors)};
}

Result<ReceivedBytes> Channel::receive_bytes(std::chrono::milliseconds deadline) {
  const Clock::time_point until = Clock::now() + deadline;
  ReceivedBytes received;
  const Result<HeaderBytes> header = read_header(socket_.get(), received.descriptors, until);
  if (!header) return header.error();
  const Result<launch_frame> frame = check(*header, received.descriptors.size());
  if (!frame) return frame.error();
  Result<std::string> body = read_body(socket_.get(), frame->size, until);
  if (!body) return body.error();
  received.bytes = std::move(*body);
  return received;
}

}  // namespace hipcache::protocol
