#include "daemon/server/cache_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

namespace hipcache::daemon {
namespace {

constexpr std::chrono::milliseconds kRetry{10};

constexpr const char* kLock = "daemon.lock";
constexpr const char* kLog = "daemon.log";
constexpr const char* kTemporary = "tmp";

// flock has no timeout, so this polls for at most `patience`.
Status lock(int fd, const std::string& path, std::chrono::milliseconds wait_budget) {
  const auto deadline = std::chrono::steady_clock::now() + wait_budget;
  while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return system_error("cannot lock", path);
    if (std::chrono::steady_clock::now() >= deadline) return Error{"another hipcached holds " + path};
    std::this_thread::sleep_for(kRetry);
  }
  return done();
}

}  // namespace

Result<CacheDirectory> CacheDirectory::take(const std::string& path, std::chrono::milliseconds wait_budget,
                                            const DirectoryAccess& access) {
  Result<OwnDirectory> opened = OwnDirectory::open_or_make(path, access);
  if (!opened) return opened.error();
  Result<UniqueFd> held = opened->open_file(kLock, O_RDWR | O_CREAT);
  if (!held) return held.error();
  if (Status locked = lock(held->get(), join_path(path, kLock), wait_budget); !locked) return locked.error();
  if (!opened->is_in_place() || !opened->holds(kLock, held->get()))
    return Error{path + " was replaced while its lock was waited for"};
  // In a cache directory that a group shares, files made here would belong to the group, too.
  struct stat status{};
  if (fstat(opened->fd(), &status) == 0 && (status.st_mode & S_ISGID) != 0 && fchmod(opened->fd(), S_IRWXU) != 0)
    return system_error("cannot set the mode of", path);
  // The process id serves --stop-server when the daemon does not answer. A full disk must not keep the daemon from
  // starting.
  if (ftruncate(held->get(), 0) == 0) {
    [[maybe_unused]] const Status written = write_all(held->get(), std::to_string(getpid()), kLock);
  }
  if (Status removed = remove_tree(join_path(opened->anchored(), kTemporary)); !removed) return removed.error();
  if (auto made = opened->open_or_make_below(kTemporary); !made) return made.error();
  return CacheDirectory(std::move(*opened), std::move(*held));
}

bool CacheDirectory::is_in_place() const { return directory_.is_in_place() && directory_.holds(kLock, lock_.get()); }

std::string CacheDirectory::log() const {
  const bool is_ours = directory_.open_file(kLog, O_WRONLY | O_CREAT | O_APPEND).ok();
  return is_ours ? join_path(directory_.anchored(), kLog) : "";
}

}  // namespace hipcache::daemon
