#include "daemon/server/stale_daemons.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <ctime>

#include "hipcache/base/files.h"
#include "hipcache/protocol/mount_view.h"

namespace hipcache::daemon {
namespace {

// The locked file; invalid if another process has the lock, or the file cannot be made.
UniqueFd lock(const UniqueFd& directory, const char* name) {
  UniqueFd file(openat(directory.get(), name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
  if (file && flock(file.get(), LOCK_EX | LOCK_NB) != 0) file.reset();
  return file;
}

bool is_old(const UniqueFd& directory) {
  struct stat status{};
  const std::time_t limit = std::time(nullptr) - std::chrono::seconds(kStaleAfter).count();
  if (fstatat(directory.get(), "daemon.lock", &status, AT_SYMLINK_NOFOLLOW) != 0 &&
      fstat(directory.get(), &status) != 0)
    return false;
  return status.st_mtime < limit;
}

void remove_if_stale(const std::string& path) {
  const UniqueFd directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!directory || !is_old(directory)) return;
  // A client that starts a daemon holds the first lock, a daemon the second.
  const UniqueFd starting = lock(directory, "start.lock");
  const UniqueFd running = lock(directory, "daemon.lock");
  if (!starting || !running) return;
  [[maybe_unused]] const Status removed = remove_tree(path);
}

}  // namespace

void remove_stale_daemons(const std::string& cache_directory, const std::string& own) {
  const Result<std::vector<std::string>> names = list_directory(cache_directory);
  if (!names) return;
  for (const std::string& name : *names)
    if (protocol::is_daemon_name(name) && name != own) remove_if_stale(join_path(cache_directory, name));
}

}  // namespace hipcache::daemon
