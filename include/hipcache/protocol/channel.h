// Messages over a unix stream socket: a 12-byte header (magic, length, number of descriptors;
// little-endian), then one message. Descriptors travel with the first byte of the header
// (SCM_RIGHTS).
//
// Everything is bounded: a message by kMessageLimit, its descriptors by kDescriptorLimit, each call
// by its deadline. A garbled, oversized or truncated message is an error that names the fault; the
// channel is then unusable.
//
// The launcher has a channel of its own in C (src/launcher/connection.h), for one small request and
// one small reply. Both use the code of hipcache/launcher/frame.h for the header and the
// descriptors.
#ifndef HIPCACHE_PROTOCOL_CHANNEL_H
#define HIPCACHE_PROTOCOL_CHANNEL_H

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "hipcache/base/files.h"
#include "hipcache/base/result.h"
#include "hipcache/launcher/frame.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::protocol {

inline constexpr std::uint32_t kMessageLimit = 16u << 20;
inline constexpr std::uint32_t kDescriptorLimit = HIPCACHE_DESCRIPTOR_LIMIT;

struct Received {
  Message message;
  std::vector<UniqueFd> descriptors;
};

struct ReceivedBytes {
  std::string bytes;
  std::vector<UniqueFd> descriptors;
};

// Owns the socket. One thread may send while another receives; no two may do the same.
class Channel {
 public:
  explicit Channel(UniqueFd socket) : socket_(std::move(socket)) {}

  Status send(const Message& message, const std::vector<int>& descriptors, std::chrono::milliseconds deadline);
  Status send(const Message& message, std::chrono::milliseconds deadline) { return send(message, {}, deadline); }

  // A closed peer is ErrorCode::closed. Silence until the deadline is ErrorCode::timed_out; receive
  // may be called again.
  Result<Received> receive(std::chrono::milliseconds deadline);

  // The same for a message that the caller encodes (remote_messages.h).
  Status send_bytes(const std::string& body, const std::vector<int>& descriptors, std::chrono::milliseconds deadline);
  Result<ReceivedBytes> receive_bytes(std::chrono::milliseconds deadline);

  int fd() const { return socket_.get(); }

 private:
  UniqueFd socket_;
};

}  // namespace hipcache::protocol

#endif
