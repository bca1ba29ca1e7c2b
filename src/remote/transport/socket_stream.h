// A TCP or unix socket as a stream. Sends without SIGPIPE.
#ifndef HIPCACHE_SRC_REMOTE_TRANSPORT_SOCKET_STREAM_H
#define HIPCACHE_SRC_REMOTE_TRANSPORT_SOCKET_STREAM_H

#include <sys/socket.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "hipcache/base/files.h"
#include "remote/layout/backend.h"

namespace hipcache::remote {

// The bytes of one connection in both directions, without waiting.
//
// Problem: Redis is spoken over TCP, unix sockets and TLS. A call has limits of its own (Limits), which neither
// hiredis's sockets nor OpenSSL's have. Choice: a stream moves what it can and says what it waits for; the caller
// waits, for as long as its limits allow (wait_for()). Rejected: blocking streams with a limit for each system call,
// which a server that sends byte by byte would never reach.
//
// One thread at a time. After `closed` or `failed` the stream is of no further use.

// What became of one read or write.
struct Transfer {
  enum class State {
    moved,        // `size` bytes, at least one
    wants_read,   // nothing moved; try again when the descriptor is readable
    wants_write,  // the same, when it is writable. TLS may want to write in order to read, and vice versa
    closed,       // by the other side
    failed,
  };
  State state = State::failed;
  std::size_t size = 0;
};

class ByteStream {
 public:
  virtual ~ByteStream() = default;

  // REQUIRES: not empty
  virtual Transfer read(std::span<char> to) = 0;
  virtual Transfer write(std::string_view bytes) = 0;
  // After `closed` or `failed`: why.
  virtual const Failure& failure() const = 0;
  // For waiting alone.
  virtual int fd() const = 0;
};

// Waits until the stream may move something, at most until then. False if the time is over.
// REQUIRES: `state` is wants_read or wants_write
bool wait_for(const ByteStream& stream, Transfer::State state, std::chrono::steady_clock::time_point until);

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
