#include "daemon/server/cache_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "hipcache/base/files.h"

namespace hipcache::daemon {

namespace {

constexpr const char* kName = "digests";
constexpr std::uint64_t kSizeLimit = 4u << 20;

// Identifies the boot and the view of the file system. Empty if the kernel does not show the boot's id.
std::string origin_of(const protocol::MountView& view) {
  constexpr std::uint64_t kBootLimit = 64;
  const Result<std::string> boot = read_file("/proc/sys/kernel/random/boot_id", kBootLimit);
  if (!boot || boot->empty()) return "";
  return *boot + std::to_string(view.mount_namespace) + " " + std::to_string(view.root_device) + " " +
         std::to_string(view.root_inode);
}

}  // namespace

DigestFile::DigestFile(inputs::FileSystemState& file_system, const OwnDirectory& directory,
                       const protocol::MountView& view, Log& log)
    : file_system_(file_system),
      directory_(directory),
      log_(log),
      origin_(origin_of(view)),
      next_(std::chrono::steady_clock::now() + kDigestFilePause) {
  load();
}

void DigestFile::load() {
  if (origin_.empty()) return;
  const Result<UniqueFd> file = directory_.open_file(kName, O_RDONLY);
  if (!file) return;  // the first start has no file
  const Result<std::string> bytes = read_fd(file->get(), kSizeLimit, kName);
  const Status taken = bytes ? file_system_.take_digests(*bytes, origin_) : Status(bytes.error());
  if (!taken) log_.info("digests start anew: " + directory_.as_known(taken.error().message));
}

void DigestFile::save_if_due() {
  if (std::chrono::steady_clock::now() >= next_) save_if_changed();
}

void DigestFile::save_if_changed() {
  const std::uint64_t learned = file_system_.learned_digests();
  if (origin_.empty() || learned == saved_) return;
  saved_ = learned;
  next_ = std::chrono::steady_clock::now() + kDigestFilePause;
  const Status saved = replace_file(join_path(directory_.anchored(), kName), file_system_.digests(origin_));
  if (!saved) log_.info("digests are not kept: " + directory_.as_known(saved.error().message));
}

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

}  // namespace hipcache::daemon
