// A TCP or unix socket as a stream. Sends without SIGPIPE.
#ifndef HIPCACHE_SRC_REMOTE_TRANSPORT_SOCKET_STREAM_H
#define HIPCACHE_SRC_REMOTE_TRANSPORT_SOCKET_STREAM_H

#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include "hipcache/base/files.h"
#include "remote/transport/byte_stream.h"

namespace hipcache::remote {

class SocketStream : public ByteStream {
 public:
  using Opened = std::variant<std::unique_ptr<SocketStream>, Failure>;
  using TimePoint = std::chrono::steady_clock::time_point;

  // `host` is a name or an address, IPv6 without brackets. Its addresses are tried in order, each for its share of the
  // time that is left.
  static Opened connect_tcp(const std::string& host, std::uint16_t port, TimePoint until);
  static Opened connect_unix(const std::string& path, TimePoint until);

  Transfer read(std::span<char> to) override;
  Transfer write(std::string_view bytes) override;
  const Failure& failure() const override { return failure_; }
  int fd() const override { return fd_.get(); }

 private:
  explicit SocketStream(UniqueFd fd) : fd_(std::move(fd)) {}
  static Opened connect_socket(int family, const sockaddr* address, socklen_t size, TimePoint until);
  Transfer ended(int number);

  UniqueFd fd_;
  Failure failure_;
};

}  // namespace hipcache::remote

#endif
