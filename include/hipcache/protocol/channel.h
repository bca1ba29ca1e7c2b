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

#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/files.h"
#include "hipcache/base/result.h"
#include "hipcache/launcher/frame.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::protocol {

// How this process sees the file system, and where the daemon of a user and a view has its files.
//
// hipcache/launcher/daemon_address.h says why there is one daemon for each view, and computes what
// this header offers to C++. Containers that share a cache directory have a daemon each.

// All zero if the view is unknown: no daemon serves that.
MountView own_mount_view();

// "1000-5f3a9c21": the user, and a number of the view in hexadecimal.
std::string daemon_name(const MountView& view = own_mount_view(), uid_t user = geteuid());

// ".1000-5f3a9c21": the link to the directory of the daemon that serves other mount namespaces with this root
// directory, too.
std::string outer_daemon_name(uid_t user = geteuid());

// Whether `name` is the name of one of that user's daemons.
bool is_daemon_name(std::string_view name, uid_t user = geteuid());

// <cache directory>/<daemon name>: the daemon's socket, locks, log and temporary files. Only that
// user has access.
std::string daemon_directory(const std::string& cache_directory);

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

// Where the daemon of this user and view listens: daemon.sock in its directory
// (hipcache/protocol/channel.h). If the path does not fit into a socket address, the error names the
// limit.
Result<std::string> socket_path(const std::string& cache_directory);

// The same of the daemon that has this directory.
Result<std::string> socket_in(const std::string& daemon_directory);

// Connects; refuses a socket whose peer is another user.
Result<UniqueFd> connect_to(const std::string& socket_path, std::chrono::milliseconds deadline);

// Binds (mode 0600, replacing a stale file) and listens. REQUIRES: the caller holds the directory's
// daemon lock.
Result<UniqueFd> listen_at(const std::string& socket_path);

// Accepts one connection; a peer of another uid is closed and reported as an error.
Result<UniqueFd> accept_from(int listener);

}  // namespace hipcache::protocol

#endif
