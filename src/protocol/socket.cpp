#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "hipcache/protocol/channel.h"
#include "hipcache/protocol/mount_view.h"

namespace hipcache::protocol {
namespace {

constexpr int kBacklog = 128;
constexpr mode_t kSocketMode = 0600;
constexpr std::size_t kPathLimit = sizeof(sockaddr_un::sun_path) - 1;

Status fits(const std::string& path) {
  if (path.size() <= kPathLimit) return done();
  return Error{"socket path " + path + " has " + std::to_string(path.size()) + " bytes and the system's limit is " +
               std::to_string(kPathLimit) + ": set HIPCACHE_DIR to a shorter directory"};
}

// REQUIRES: fits(path)
sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::copy(path.begin(), path.end(), address.sun_path);
  return address;
}

Result<UniqueFd> new_socket() {
  UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return system_error("cannot make", "a socket");
  return fd;
}

Status check_peer(int fd, const std::string& name) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    return system_error("cannot ask for the peer of", name);
  if (peer.uid == geteuid()) return done();
  return Error{"the peer of " + name + " is user " + std::to_string(peer.uid) + ", not " + std::to_string(geteuid())};
}

// Limits how long connect may wait for room in the listener's queue.
Status bound_connect(int fd, std::chrono::milliseconds deadline) {
  const auto microseconds = std::max<std::int64_t>(std::chrono::microseconds(deadline).count(), 1);
  timeval limit{};
  limit.tv_sec = microseconds / 1'000'000;
  limit.tv_usec = microseconds % 1'000'000;
  if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) != 0)
    return system_error("cannot bound the wait for", "a socket");
  return done();
}

}  // namespace

Result<std::string> socket_path(const std::string& cache_directory) {
  std::string path = join_path(daemon_directory(cache_directory), "daemon.sock");
  if (Status short_enough = fits(path); !short_enough) return short_enough.error();
  return path;
}

Result<UniqueFd> connect_to(const std::string& socket_path, std::chrono::milliseconds deadline) {
  if (Status short_enough = fits(socket_path); !short_enough) return short_enough.error();
  Result<UniqueFd> fd = new_socket();
  if (!fd) return fd;
  if (Status bounded = bound_connect(fd->get(), deadline); !bounded) return bounded.error();
  const sockaddr_un address = address_of(socket_path);
  int connected = 0;
  do {
    connected = connect(fd->get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  } while (connected != 0 && errno == EINTR);
  if (connected != 0) {
    if (errno == EAGAIN) errno = ETIMEDOUT;
    return system_error("cannot connect to", socket_path);
  }
  if (Status ours = check_peer(fd->get(), socket_path); !ours) return ours.error();
  return fd;
}

Result<UniqueFd> listen_at(const std::string& socket_path) {
  if (Status short_enough = fits(socket_path); !short_enough) return short_enough.error();
  Result<UniqueFd> fd = new_socket();
  if (!fd) return fd;
  if (unlink(socket_path.c_str()) != 0 && errno != ENOENT) return system_error("cannot replace", socket_path);
  // The mode of an unbound socket becomes the mode of the file. So others can never connect, and
  // the process's umask, which all threads share, stays unchanged.
  if (fchmod(fd->get(), kSocketMode) != 0) return system_error("cannot set the mode of", socket_path);
  const sockaddr_un address = address_of(socket_path);
  if (bind(fd->get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return system_error("cannot bind", socket_path);
  if (listen(fd->get(), kBacklog) != 0) return system_error("cannot listen at", socket_path);
  return fd;
}

Result<UniqueFd> accept_from(int listener) {
  int accepted = -1;
  do {
    accepted = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  } while (accepted < 0 && errno == EINTR);
  UniqueFd fd(accepted);
  if (!fd) return system_error("cannot accept from", "the daemon's socket");
  if (Status ours = check_peer(fd.get(), "an accepted connection"); !ours) return ours.error();
  return fd;
}

}  // namespace hipcache::protocol
