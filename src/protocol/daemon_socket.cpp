#include "hipcache/protocol/daemon_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "hipcache/launcher/daemon_address.h"
#include "hipcache/launcher/frame.h"

namespace hipcache::protocol {

namespace {

bool is_hexadecimal(char letter) { return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f'); }

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

Status check_peer(int fd, const std::string& name) {
  uid_t user = 0;
  if (!launch_peer_user(fd, &user)) return system_error("cannot ask for the peer of", name);
  if (user == geteuid()) return done();
  return Error{"the peer of " + name + " is user " + std::to_string(user) + ", not " + std::to_string(geteuid())};
}

timeval timeval_of(std::chrono::milliseconds limit) {
  const auto microseconds = std::max<std::int64_t>(std::chrono::microseconds(limit).count(), 1);  // 0 is no limit
  return {.tv_sec = microseconds / 1'000'000, .tv_usec = microseconds % 1'000'000};
}

}  // namespace

MountView own_mount_view() {
  const launch_view view = launch_own_view();
  return {view.mount_namespace, view.root_device, view.root_inode};
}

std::string daemon_name(const MountView& view, uid_t user) {
  const launch_view same{view.mount_namespace, view.root_device, view.root_inode};
  char name[LAUNCH_NAME_SIZE];
  launch_daemon_name(&same, user, name);
  return name;
}

std::string outer_daemon_name(uid_t user) {
  const launch_view own = launch_own_view();
  const launch_view outer = launch_outer_view(&own);
  return daemon_name({outer.mount_namespace, outer.root_device, outer.root_inode}, user);
}

bool is_daemon_name(std::string_view name, uid_t user) {
  const std::string start = std::to_string(user) + "-";
  if (!name.starts_with(start) || name.size() != start.size() + LAUNCH_VIEW_DIGITS) return false;
  return std::all_of(name.begin() + static_cast<std::ptrdiff_t>(start.size()), name.end(), is_hexadecimal);
}

std::string daemon_directory(const std::string& cache_directory) { return join_path(cache_directory, daemon_name()); }

Result<std::string> socket_path(const std::string& cache_directory) {
  return socket_in(daemon_directory(cache_directory));
}

Result<std::string> socket_in(const std::string& daemon_directory) {
  std::string path = join_path(daemon_directory, LAUNCH_SOCKET_NAME);
  if (Status short_enough = fits(path); !short_enough) return short_enough.error();
  return path;
}

Result<UniqueFd> connect_to(const std::string& socket_path, std::chrono::milliseconds deadline) {
  if (Status short_enough = fits(socket_path); !short_enough) return short_enough.error();
  const timeval limit = timeval_of(deadline);
  UniqueFd fd(launch_connect(socket_path.c_str(), &limit));
  if (!fd && errno == EAGAIN) errno = ETIMEDOUT;
  if (!fd) return system_error("cannot connect to", socket_path);
  if (Status ours = check_peer(fd.get(), socket_path); !ours) return ours.error();
  return fd;
}

Result<UniqueFd> listen_at(const std::string& socket_path) {
  if (Status short_enough = fits(socket_path); !short_enough) return short_enough.error();
  UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return system_error("cannot make", "a socket");
  if (unlink(socket_path.c_str()) != 0 && errno != ENOENT) return system_error("cannot replace", socket_path);
  // The mode of an unbound socket becomes the mode of the file. So others can never connect, and
  // the process's umask, which all threads share, stays unchanged.
  if (fchmod(fd.get(), kSocketMode) != 0) return system_error("cannot set the mode of", socket_path);
  const sockaddr_un address = address_of(socket_path);
  if (bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return system_error("cannot bind", socket_path);
  if (listen(fd.get(), kBacklog) != 0) return system_error("cannot listen at", socket_path);
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
