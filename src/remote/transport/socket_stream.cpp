#include "remote/transport/socket_stream.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <variant>

#include "hipcache/base/files.h"
#include "remote/transport/addresses.h"

namespace hipcache::remote {

bool wait_for(const ByteStream& stream, Transfer::State state, std::chrono::steady_clock::time_point until) {
  using std::chrono::milliseconds;
  const short event = state == Transfer::State::wants_write ? POLLOUT : POLLIN;
  for (;;) {
    const auto left = std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now()).count();
    pollfd waited{stream.fd(), event, 0};
    const int ready = poll(&waited, 1, static_cast<int>(std::clamp<decltype(left)>(left, 0, 1 << 30)));
    if (ready >= 0 || errno != EINTR) return ready > 0;
  }
}

namespace {

using Clock = std::chrono::steady_clock;
using State = Transfer::State;

std::string text_of(int number) { return std::generic_category().message(number); }

Failure no_connection(const std::string& why) { return {Trouble::unreachable, "cannot connect: " + why, {}}; }

class SocketStream : public ByteStream {
 public:
  explicit SocketStream(UniqueFd fd) : fd_(std::move(fd)) {}

  Transfer read(std::span<char> to) override {
    for (;;) {
      const ssize_t size = recv(fd_.get(), to.data(), to.size(), 0);
      if (size > 0) return {State::moved, static_cast<std::size_t>(size)};
      if (size == 0) {
        failure_.message = "the server closed the connection";
        return {State::closed};
      }
      if (errno == EAGAIN || errno == EWOULDBLOCK) return {State::wants_read};
      if (errno != EINTR) return ended(errno);
    }
  }

  Transfer write(std::string_view bytes) override {
    for (;;) {
      const ssize_t size = send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (size >= 0) return {State::moved, static_cast<std::size_t>(size)};
      if (errno == EAGAIN || errno == EWOULDBLOCK) return {State::wants_write};
      if (errno != EINTR) return ended(errno);
    }
  }

  const Failure& failure() const override { return failure_; }
  int fd() const override { return fd_.get(); }

 private:
  Transfer ended(int number) {
    failure_.message = text_of(number);
    return {number == EPIPE || number == ECONNRESET ? State::closed : State::failed};
  }

  UniqueFd fd_;
  Failure failure_;
};

// An interrupted or refused connect() goes on without us; its end is in SO_ERROR.
OpenedStream connect_socket(int family, const sockaddr* address, socklen_t size, Clock::time_point until) {
  UniqueFd fd(socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return no_connection(text_of(errno));
  auto stream = std::make_unique<SocketStream>(std::move(fd));
  if (connect(stream->fd(), address, size) == 0) return stream;
  if (errno != EINPROGRESS && errno != EINTR) return no_connection(text_of(errno));
  if (!wait_for(*stream, State::wants_write, until)) return no_connection(text_of(ETIMEDOUT));
  int number = 0;
  socklen_t length = sizeof number;
  if (getsockopt(stream->fd(), SOL_SOCKET, SO_ERROR, &number, &length) != 0) number = errno;
  if (number != 0) return no_connection(text_of(number));
  return stream;
}

}  // namespace

OpenedStream connect_tcp(const std::string& host, std::uint16_t port, Clock::time_point until) {
  auto found = addresses_of(host, port, until);
  if (auto* failure = std::get_if<Failure>(&found)) return std::move(*failure);
  const addrinfo* address = std::get<Addresses>(found).get();
  int left = 0;
  for (const addrinfo* one = address; one != nullptr; one = one->ai_next) ++left;
  OpenedStream opened = no_connection("the host has no address");
  for (; address != nullptr; address = address->ai_next, --left) {
    const Clock::time_point share = Clock::now() + (until - Clock::now()) / left;
    opened = connect_socket(address->ai_family, address->ai_addr, address->ai_addrlen, share);
    if (const auto* stream = std::get_if<std::unique_ptr<ByteStream>>(&opened)) {
      const int on = 1;  // a request is sent at once
      setsockopt((*stream)->fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      break;
    }
  }
  return opened;
}

OpenedStream connect_unix(const std::string& path, Clock::time_point until) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return no_connection("the socket's path is too long");
  std::copy(path.begin(), path.end(), address.sun_path);
  return connect_socket(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof address, until);
}

}  // namespace hipcache::remote
