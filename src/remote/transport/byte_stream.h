// The bytes of one connection in both directions, without waiting: over TCP, a unix socket or TLS, by libcurl.
//
// Problem: Redis is spoken over all three. A call has limits of its own (Limits), which hiredis's connections do not
// have. Choice: a stream moves what it can and says what it waits for; the caller waits, for as long as its limits
// allow. libcurl connects, resolves names and shakes hands as it does for HTTP. Rejected: blocking streams with a limit
// for each system call, which a server that sends byte by byte would never reach. Rejected: sockets and OpenSSL by
// ourselves, which took 600 lines to do the same.
//
// One thread at a time. After `closed` or `failed` the stream is of no further use.
#ifndef HIPCACHE_SRC_REMOTE_TRANSPORT_BYTE_STREAM_H
#define HIPCACHE_SRC_REMOTE_TRANSPORT_BYTE_STREAM_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "remote/layout/backend.h"
#include "remote/transport/authorities.h"

namespace hipcache::remote {

class Curl;

// What became of one read or write.
struct Transfer {
  enum class State {
    moved,        // `size` bytes, at least one
    wants_read,   // nothing moved; try again when the descriptor is readable
    wants_write,  // the same, when it is writable
    closed,       // by the other side
    failed,       // the server has refused us
  };
  State state = State::failed;
  std::size_t size = 0;
};

class ByteStream {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  struct Address {
    std::string host;  // a name or an address, IPv6 in brackets; empty: `path`
    std::uint16_t port = 0;
    std::string path;  // of a unix socket
    bool tls = false;
    TlsFiles files;
  };

  // Connects and shakes hands, at most until then. A failure names the option whose file cannot be used.
  static std::variant<std::unique_ptr<ByteStream>, Failure> open(const Address& address, TimePoint until);
  ~ByteStream();
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  // REQUIRES: not empty
  Transfer read(std::span<char> to);
  // A server of TLS 1.3 that demands a certificate refuses after the handshake: a write that finds the connection
  // closed looks for the reason among what the server has sent.
  Transfer write(std::string_view bytes);
  // After `closed` or `failed`: why.
  const Failure& failure() const { return failure_; }

  // Waits until the stream may move something, at most until then. False if the time is over.
  // REQUIRES: `state` is wants_read or wants_write
  bool wait_for(Transfer::State state, TimePoint until) const;

 private:
  ByteStream();

  const std::unique_ptr<Curl> curl_;
  Failure failure_;
};

}  // namespace hipcache::remote

#endif
