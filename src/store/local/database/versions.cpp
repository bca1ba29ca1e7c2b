#include "store/local/database/versions.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <system_error>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

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

namespace {

// The number of a version's directory; nullopt for any other name.
std::optional<unsigned> version_of(std::string_view name) {
  unsigned version = 0;
  if (!name.starts_with('v')) return std::nullopt;
  const char* end = name.data() + name.size();
  const auto [rest, problem] = std::from_chars(name.data() + 1, end, version);
  if (problem != std::errc() || rest != end) return std::nullopt;
  return version;
}

// The files of the oldest format.
bool is_of_the_oldest(std::string_view name) {
  return name == "db" || name == "lock" || name == "damaged" || name.starts_with("db.damaged-");
}

// When the store was last opened: every open writes to its lock. A store without a lock was never opened, or is being
// created; then its newest part tells.
std::time_t last_use(const OwnDirectory& directory, const std::vector<std::string>& names, const UniqueFd* lock) {
  struct stat status{};
  if (lock != nullptr) return fstat(lock->get(), &status) == 0 ? status.st_mtime : std::time(nullptr);
  std::time_t newest = 0;
  if (names.empty() && fstat(directory.fd(), &status) == 0) newest = status.st_mtime;
  for (const std::string& name : names) {
    if (fstatat(directory.fd(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
      newest = std::max(newest, status.st_mtime);
    }
  }
  return newest;
}

// Locks and removes the named parts of a store that was not opened for `unused`. What cannot be removed is tried again
// later. False if the store must stay.
bool remove_store(const OwnDirectory& directory, const std::vector<std::string>& names, std::chrono::seconds unused) {
  const auto lock = directory.open_file("lock", O_RDWR);
  if (!lock && lock.error().code != ErrorCode::gone) return false;
  const UniqueFd* held = lock ? &*lock : nullptr;
  if (last_use(directory, names, held) > std::time(nullptr) - unused.count()) return false;
  if (held != nullptr && flock(held->get(), LOCK_EX | LOCK_NB) != 0) return false;
  for (const std::string& name : names) {
    [[maybe_unused]] const auto removed = remove_tree(join_path(directory.anchored(), name));
  }
  return true;
}

}  // namespace

std::string version_directory() { return "v" + std::to_string(kVersion); }

void remove_older_versions(const OwnDirectory& root, std::chrono::seconds unused) {
  const auto names = list_directory(root.anchored());
  if (!names) return;
  std::vector<std::string> oldest;
  for (const std::string& name : *names) {
    if (is_of_the_oldest(name)) oldest.push_back(name);
    const auto version = version_of(name);
    if (!version || *version >= kVersion) continue;
    const auto older = root.open_or_make_below(name);
    const auto parts = older ? list_directory(older->anchored()) : older.error();
    if (!parts) continue;
    if (!remove_store(*older, *parts, unused)) continue;
    unlinkat(root.fd(), name.c_str(), AT_REMOVEDIR);  // fails if it is not empty
  }
  if (!oldest.empty()) remove_store(root, oldest, unused);
}

}  // namespace hipcache::store
