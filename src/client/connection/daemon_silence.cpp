#include "client/connection/daemon_silence.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstdint>
#include <ctime>
#include <utility>

#include "hipcache/launcher/daemon_address.h"

namespace hipcache::client {
namespace {

constexpr std::uint64_t kStatLimit = 4096;

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

std::int64_t file_clock() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return nanoseconds(now);
}

// Empty for a path too long for a socket.
std::string mark_of(const std::string& socket_path) {
  char mark[PATH_MAX];
  return launch_mark_path(socket_path.c_str(), mark) ? mark : "";
}

}  // namespace

DaemonSilence::DaemonSilence(std::string socket_path, std::chrono::milliseconds retry)
    : socket_(std::move(socket_path)), mark_(mark_of(socket_)), retry_(retry) {}

bool DaemonSilence::is_known() {
  if (turn_) return false;
  struct stat socket{};
  struct stat mark{};
  if (lstat(mark_.c_str(), &mark) != 0 || !S_ISREG(mark.st_mode) || mark.st_uid != geteuid()) return false;
  if (lstat(socket_.c_str(), &socket) != 0 || nanoseconds(mark.st_mtim) < nanoseconds(socket.st_mtim)) return false;
  const std::int64_t age = file_clock() - nanoseconds(mark.st_mtim);
  const std::int64_t retry = std::chrono::nanoseconds(retry_).count();
  if (age > -retry && age < retry) return true;
  UniqueFd fd(open(mark_.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return false;
  if (flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return true;
  futimens(fd.get(), nullptr);
  turn_ = std::move(fd);
  return false;
}

void DaemonSilence::note() const {
  const UniqueFd fd(open(mark_.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (fd) futimens(fd.get(), nullptr);
}

void DaemonSilence::forget() const { unlink(mark_.c_str()); }

// The format is "pid (name) state ...", and the name may hold any character.
bool is_peer_stopped(int connection) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.pid <= 0) return false;
  const Result<std::string> stat = read_file("/proc/" + std::to_string(peer.pid) + "/stat", kStatLimit);
  if (!stat) return false;
  const std::size_t name_end = stat->rfind(") ");
  return name_end != std::string::npos && name_end + 2 < stat->size() && (*stat)[name_end + 2] == 'T';
}

}  // namespace hipcache::client
