#include "store/set_aside.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <string_view>

namespace hipcache::store {
namespace {

constexpr std::string_view kSetAside = "db.damaged-";
constexpr std::uint64_t kLongestReason = 4096;

std::string damage_path(const std::string& directory) { return join_path(directory, "damaged"); }

std::string holder_of(int lock) {
  const auto pid = read_fd(lock, kLongestReason, "lock");
  return pid && !pid->empty() ? "process " + *pid : "another process";
}

}  // namespace

std::string database_path(const std::string& directory) { return join_path(directory, "db"); }

Result<UniqueFd> lock_directory(const std::string& directory) {
  const std::string path = join_path(directory, "lock");
  UniqueFd lock(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock) return system_error("cannot open store lock", path);
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return system_error("cannot lock store", path);
    return Error{"store " + directory + " is in use by " + holder_of(lock.get()) +
                 ": stop it, or choose another directory"};
  }
  // The holder's number is for the message above alone; a full disk must not keep the store from opening.
  if (ftruncate(lock.get(), 0) == 0) {
    [[maybe_unused]] const auto written = write_all(lock.get(), std::to_string(getpid()), path);
  }
  return lock;
}

Status set_aside(const std::string& directory, const std::string& reason, Log& log) {
  remove_set_aside(directory);
  const std::string from = database_path(directory);
  const std::string to = join_path(directory, std::string(kSetAside) + std::to_string(std::time(nullptr)));
  if (rename(from.c_str(), to.c_str()) != 0 && errno != ENOENT) return system_error("cannot set aside", from);
  forget_damage(directory);
  log.error("store: database set aside as " + to + ", starting anew: " + reason);
  return done();
}

void remove_set_aside(const std::string& directory) {
  const auto names = list_directory(directory);
  if (!names) return;
  for (const std::string& name : *names) {
    // What cannot be removed stays and is tried again the next time; it costs space alone.
    if (name.starts_with(kSetAside)) [[maybe_unused]]
      const auto removed = remove_tree(join_path(directory, name));
  }
}

void note_damage(const std::string& directory, const std::string& reason) {
  // Where this cannot be written the damage is found again: by the same compaction after the next open.
  [[maybe_unused]] const auto written = replace_file(damage_path(directory), reason);
}

std::optional<std::string> noted_damage(const std::string& directory) {
  const auto reason = read_file(damage_path(directory), kLongestReason);
  if (!reason) return std::nullopt;
  return *reason;
}

void forget_damage(const std::string& directory) { unlink(damage_path(directory).c_str()); }

}  // namespace hipcache::store
