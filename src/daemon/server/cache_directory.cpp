#include "daemon/server/cache_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <ctime>
#include <thread>
#include <vector>

#include "hipcache/protocol/daemon_socket.h"

namespace hipcache::daemon {

namespace {

constexpr std::chrono::milliseconds kRetry{10};

constexpr const char* kLock = "daemon.lock";
constexpr const char* kLog = "daemon.log";
constexpr const char* kTemporary = "tmp";

constexpr std::chrono::hours kStaleAfter{24};

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

// Where the link leads; "" if there is none.
std::string target_in(const OwnDirectory& cache) {
  char target[PATH_MAX];
  const ssize_t length = ::readlinkat(cache.fd(), protocol::outer_daemon_name().c_str(), target, sizeof target);
  return length <= 0 ? "" : std::string(target, static_cast<std::size_t>(length));
}

bool is_alive(const OwnDirectory& cache, const std::string& daemon) {
  const UniqueFd lock(::openat(cache.fd(), join_path(daemon, kLock).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  return lock && ::flock(lock.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

// The locked file; invalid if another process has the lock, or the file cannot be made.
UniqueFd try_lock(const UniqueFd& directory, const char* name) {
  UniqueFd file(openat(directory.get(), name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
  if (file && flock(file.get(), LOCK_EX | LOCK_NB) != 0) file.reset();
  return file;
}

bool is_old(const UniqueFd& directory) {
  struct stat status{};
  const std::time_t limit = std::time(nullptr) - std::chrono::seconds(kStaleAfter).count();
  if (fstatat(directory.get(), kLock, &status, AT_SYMLINK_NOFOLLOW) != 0 && fstat(directory.get(), &status) != 0)
    return false;
  return status.st_mtime < limit;
}

void remove_if_stale(const std::string& path) {
  const UniqueFd directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!directory || !is_old(directory)) return;
  // A client that starts a daemon holds the first lock, a daemon the second.
  const UniqueFd starting = try_lock(directory, "start.lock");
  const UniqueFd running = try_lock(directory, kLock);
  if (!starting || !running) return;
  [[maybe_unused]] const Status removed = remove_tree(path);
}

// A link of a daemon that was killed.
void remove_if_dangling(const std::string& link) {
  struct stat status{};
  if (lstat(link.c_str(), &status) == 0 && S_ISLNK(status.st_mode) && stat(link.c_str(), &status) != 0)
    unlink(link.c_str());
}

}  // namespace

Result<CacheDirectory> CacheDirectory::make_and_lock(const std::string& path, std::chrono::milliseconds wait_budget,
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

void remove_stale_daemons(const std::string& cache_directory, const std::string& own) {
  const Result<std::vector<std::string>> names = list_directory(cache_directory);
  if (!names) return;
  for (const std::string& name : *names)
    if (protocol::is_daemon_name(name) && name != own) remove_if_stale(join_path(cache_directory, name));
  const std::string start = "." + std::to_string(geteuid()) + "-";
  for (const std::string& name : *names)
    if (name.starts_with(start)) remove_if_dangling(join_path(cache_directory, name));
}

}  // namespace hipcache::daemon
