#include "daemon/server/outer_name.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

#include "hipcache/base/files.h"
#include "hipcache/protocol/daemon_socket.h"

namespace hipcache::daemon {
namespace {

// Where the link leads; "" if there is none.
std::string target_in(const OwnDirectory& cache) {
  char target[PATH_MAX];
  const ssize_t length = ::readlinkat(cache.fd(), protocol::outer_daemon_name().c_str(), target, sizeof target);
  return length <= 0 ? "" : std::string(target, static_cast<std::size_t>(length));
}

bool is_alive(const OwnDirectory& cache, const std::string& daemon) {
  const UniqueFd lock(
      ::openat(cache.fd(), join_path(daemon, "daemon.lock").c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  return lock && ::flock(lock.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace

void OuterName::take_if_free() const {
  const std::string target = target_in(cache_);
  if (target == daemon_ || (protocol::is_daemon_name(target) && is_alive(cache_, target))) return;
  const std::string name = protocol::outer_daemon_name();
  const std::string made = name + "." + std::to_string(::getpid());
  ::unlinkat(cache_.fd(), made.c_str(), 0);
  if (::symlinkat(daemon_.c_str(), cache_.fd(), made.c_str()) != 0) return;
  if (::renameat(cache_.fd(), made.c_str(), cache_.fd(), name.c_str()) != 0) ::unlinkat(cache_.fd(), made.c_str(), 0);
}

OuterName::~OuterName() {
  if (target_in(cache_) == daemon_) ::unlinkat(cache_.fd(), protocol::outer_daemon_name().c_str(), 0);
}

}  // namespace hipcache::daemon
