#include "daemon/cache_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

namespace hipcache::daemon {
namespace {

constexpr std::chrono::milliseconds kRetry{10};

// flock has no time limit of its own; asking again is bounded by `patience`.
Status lock(int fd, const std::string& path, std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return system_error("cannot lock", path);
    if (std::chrono::steady_clock::now() >= deadline) return Error{"another hipcached holds " + path};
    std::this_thread::sleep_for(kRetry);
  }
  return done();
}

}  // namespace

Result<CacheDirectory> CacheDirectory::take(const std::string& path, std::chrono::milliseconds patience) {
  if (Status made = make_directories(path, 0700); !made) return made.error();
  const std::string lock_path = path + "/daemon.lock";
  UniqueFd fd(open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd) return system_error("cannot open", lock_path);
  if (Status locked = lock(fd.get(), lock_path, patience); !locked) return locked.error();
  CacheDirectory directory(path, std::move(fd));
  if (Status removed = remove_tree(directory.temporary()); !removed) return removed.error();
  if (Status made = make_directories(directory.temporary(), 0700); !made) return made.error();
  return directory;
}

}  // namespace hipcache::daemon
