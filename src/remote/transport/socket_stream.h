// Streams of bytes, and TCP and unix sockets as such. They send without SIGPIPE.
#ifndef HIPCACHE_SRC_REMOTE_TRANSPORT_SOCKET_STREAM_H
#define HIPCACHE_SRC_REMOTE_TRANSPORT_SOCKET_STREAM_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

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

using OpenedStream = std::variant<std::unique_ptr<ByteStream>, Failure>;

// `host` is a name or an address, IPv6 without brackets. Its addresses are tried in order, each for its share of the
// time that is left.
OpenedStream connect_tcp(const std::string& host, std::uint16_t port, std::chrono::steady_clock::time_point until);
OpenedStream connect_unix(const std::string& path, std::chrono::steady_clock::time_point until);

}  // namespace hipcache::remote

#endif
