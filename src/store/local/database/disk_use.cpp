#include "store/local/database/disk_use.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <system_error>

namespace hipcache::store {
namespace {

constexpr std::uint64_t kBlock = 512;  // st_blocks counts in this unit on every file system

std::uint64_t allocated_by(const std::string& path, int flags) {
  struct stat status = {};
  const bool found = fstatat(AT_FDCWD, path.c_str(), &status, flags) == 0;
  return found ? static_cast<std::uint64_t>(status.st_blocks) * kBlock : 0;
}

}  // namespace

std::uint64_t allocated_bytes(const std::string& path) {
  std::uint64_t sum = allocated_by(path, 0);
  std::error_code error;
  std::filesystem::recursive_directory_iterator it(path, error);
  while (!error && it != std::filesystem::recursive_directory_iterator()) {
    sum += allocated_by(it->path().string(), AT_SYMLINK_NOFOLLOW);
    it.increment(error);
  }
  return sum;
}

}  // namespace hipcache::store
