#include "store/versions.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <system_error>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace hipcache::store {

namespace {

constexpr std::string_view kSetAside = "db.damaged-";
constexpr const char* kDamaged = "damaged";
constexpr const char* kServed = "served";
constexpr std::uint64_t kLongestReason = 4096;
constexpr std::time_t kKept = std::time_t{7} * 24 * 60 * 60;

std::string holder_of(int lock) {
  const auto pid = read_fd(lock, kLongestReason, "lock");
  return pid && !pid->empty() ? "process " + *pid : "another process";
}

std::vector<std::string> set_aside_names(const OwnDirectory& directory) {
  auto names = list_directory(directory.anchored());
  if (!names) return {};
  std::erase_if(*names, [](const std::string& name) { return !name.starts_with(kSetAside); });
  return std::move(*names);
}

// Seconds since the epoch; 0 if the name has no time.
std::time_t time_of(std::string_view name) {
  const std::string_view digits = name.substr(kSetAside.size());
  std::time_t time = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), time);
  return time;
}

void forget(const OwnDirectory& directory, const char* name) { unlinkat(directory.fd(), name, 0); }

constexpr std::uint64_t kBlock = 512;  // st_blocks counts in this unit on every file system

std::uint64_t allocated_by(const std::string& path, int flags) {
  struct stat status = {};
  const bool found = fstatat(AT_FDCWD, path.c_str(), &status, flags) == 0;
  return found ? static_cast<std::uint64_t>(status.st_blocks) * kBlock : 0;
}

// The number of a version's directory; nullopt for any other name.
std::optional<unsigned> version_of(std::string_view name) {
  unsigned version = 0;
  if (!name.starts_with('v')) return std::nullopt;
  const char* end = name.data() + name.size();
  const auto [rest, problem] = std::from_chars(name.data() + 1, end, version);
  if (problem != std::errc() || rest != end) return std::nullopt;
  return version;
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

Result<UniqueFd> lock_directory(const OwnDirectory& directory) {
  Result<UniqueFd> lock = directory.open_file("lock", O_RDWR | O_CREAT);
  if (!lock) return lock;
  if (flock(lock->get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return system_error("cannot lock store", directory.path());
    return Error{"store " + directory.path() + " is in use by " + holder_of(lock->get()) +
                     ": stop it, or choose another directory",
                 ErrorCode::busy};
  }
  // The process id is only for the message above, so a full disk must not keep the store from opening.
  if (ftruncate(lock->get(), 0) == 0) {
    [[maybe_unused]] const auto written = write_all(lock->get(), std::to_string(getpid()), "lock");
  }
  return lock;
}

Status set_aside(const OwnDirectory& directory, const std::string& reason, Log& log) {
  if (has_set_aside(directory) && !is_set_aside_spare(directory)) {
    if (auto removed = remove_tree(join_path(directory.anchored(), kDatabase)); !removed) return removed;
    log.error("store: damaged before it was of any use, starting anew: " + reason);
  } else {
    remove_set_aside(directory);
    const std::string name = std::string(kSetAside) + std::to_string(std::time(nullptr));
    if (renameat(directory.fd(), kDatabase, directory.fd(), name.c_str()) != 0 && errno != ENOENT)
      return system_error("cannot set aside", join_path(directory.path(), kDatabase));
    log.error("store: database set aside as " + join_path(directory.path(), name) + ", starting anew: " + reason);
  }
  forget(directory, kServed);
  forget(directory, kDamaged);
  return done();
}

bool has_set_aside(const OwnDirectory& directory) { return !set_aside_names(directory).empty(); }

bool is_set_aside_spare(const OwnDirectory& directory) {
  if (has_served(directory)) return true;
  const auto names = set_aside_names(directory);
  const std::time_t oldest_kept = std::time(nullptr) - kKept;
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) { return time_of(name) < oldest_kept; });
}

void remove_set_aside(const OwnDirectory& directory) {
  for (const std::string& name : set_aside_names(directory)) {
    // What cannot be removed stays, costs only space, and is tried again the next time.
    [[maybe_unused]] const auto removed = remove_tree(join_path(directory.anchored(), name));
  }
}

void note_served(const OwnDirectory& directory) {
  // If this cannot be written, a database that was set aside is kept for longer.
  [[maybe_unused]] const auto file = directory.open_file(kServed, O_WRONLY | O_CREAT);
}

bool has_served(const OwnDirectory& directory) { return directory.open_file(kServed, O_RDONLY).ok(); }

void note_damage(const OwnDirectory& directory, const std::string& reason) {
  // If this cannot be written, the same compaction finds the damage again after the next open.
  [[maybe_unused]] const auto written = replace_file(join_path(directory.anchored(), kDamaged), reason);
}

std::optional<std::string> noted_damage(const OwnDirectory& directory) {
  const auto file = directory.open_file(kDamaged, O_RDONLY);
  if (!file) return std::nullopt;
  const auto reason = read_fd(file->get(), kLongestReason, kDamaged);
  if (!reason) return std::nullopt;
  return *reason;
}

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

std::string version_directory() { return "v" + std::to_string(kVersion); }

void remove_older_versions(const OwnDirectory& root, std::chrono::seconds unused) {
  const auto names = list_directory(root.anchored());
  if (!names) return;
  for (const std::string& name : *names) {
    const auto version = version_of(name);
    if (!version || *version >= kVersion) continue;
    const auto older = root.open_or_make_below(name);
    const auto parts = older ? list_directory(older->anchored()) : older.error();
    if (!parts) continue;
    if (!remove_store(*older, *parts, unused)) continue;
    unlinkat(root.fd(), name.c_str(), AT_REMOVEDIR);  // fails if it is not empty
  }
}

}  // namespace hipcache::store
