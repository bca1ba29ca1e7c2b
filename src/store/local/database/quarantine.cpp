#include "store/local/database/quarantine.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <ctime>
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

}  // namespace hipcache::store
