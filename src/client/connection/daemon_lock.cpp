#include "client/connection/daemon_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string>

#include "client/connection/daemon_start.h"

namespace hipcache::client {
namespace {

constexpr const char* kLock = "daemon.lock";
constexpr std::uint64_t kLongestNumber = 32;

// The process id alone may belong to another process by now.
bool has_open(pid_t pid, const UniqueFd& file) {
  struct stat wanted{};
  if (fstat(file.get(), &wanted) != 0) return false;
  const std::string descriptors = "/proc/" + std::to_string(pid) + "/fd";
  const auto names = list_directory(descriptors);
  if (!names) return false;
  for (const std::string& name : *names) {
    struct stat found{};
    if (stat(join_path(descriptors, name).c_str(), &found) == 0 && found.st_dev == wanted.st_dev &&
        found.st_ino == wanted.st_ino)
      return true;
  }
  return false;
}

}  // namespace

bool is_daemon_lock_held(const OwnDirectory& directory) {
  const auto file = directory.open_file(kLock, O_RDONLY);
  return file && flock(file->get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

std::optional<DaemonProcess> daemon_lock_holder(const OwnDirectory& directory) {
  const auto file = directory.open_file(kLock, O_RDONLY);
  if (!file) return std::nullopt;
  const auto text = read_fd(file->get(), kLongestNumber, kLock);
  DaemonProcess process;
  if (!text || std::from_chars(text->data(), text->data() + text->size(), process.pid).ec != std::errc() ||
      process.pid <= 0)
    return std::nullopt;
  process.watched = watch_process(process.pid);
  if (!process.watched || !has_open(process.pid, *file)) return std::nullopt;
  return process;
}

bool send_signal(const DaemonProcess& process, int signal) {
  return syscall(SYS_pidfd_send_signal, process.watched.get(), signal, nullptr, 0) == 0;
}

}  // namespace hipcache::client
