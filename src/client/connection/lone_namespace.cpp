#include "client/connection/lone_namespace.h"

#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <vector>

#include "hipcache/base/files.h"
#include "hipcache/base/process_status.h"

namespace hipcache::client {
namespace {

enum class Place { same, other, unknown };

// The namespaces in which the machine started. That of mounts has one of these numbers, by the kernel's version.
bool is_first_mount_namespace(ino_t number) {
  return number == 0xEFFFFFF8 || number == 0xF0000000 || number == 0xF0000001;
}
constexpr ino_t kFirstProcessNamespace = 0xEFFFFFFC;

Place place_of(const std::string& process, ino_t own) {
  struct stat status{};
  if (::stat(("/proc/" + process + "/ns/mnt").c_str(), &status) != 0) return Place::unknown;
  return status.st_ino == own ? Place::same : Place::other;
}

// 0 if nothing tells.
pid_t parent_of(pid_t process) {
  const std::optional<ProcessStatus> status = process_status(process);
  return status ? status->parent : 0;
}

bool is_ours(pid_t process) {
  struct stat status{};
  return ::stat(("/proc/" + std::to_string(process)).c_str(), &status) == 0 && status.st_uid == ::geteuid();
}

// The nearest ancestor that can be looked at tells. One of this user that cannot be looked at is in an outer user
// namespace. Others may be of another user, such as sudo; if there is no one else, nothing tells.
bool came_from_outside(ino_t own) {
  constexpr int kAncestors = 32;
  pid_t ancestor = ::getppid();
  if (ancestor == 0) return true;  // outside of the process namespace
  for (int looked = 0; ancestor > 0 && looked < kAncestors; ++looked) {
    const Place place = place_of(std::to_string(ancestor), own);
    if (place != Place::unknown) return place == Place::other;
    if (is_ours(ancestor)) return true;
    ancestor = parent_of(ancestor);
  }
  return false;
}

// In a process namespace of its own, all processes that this one sees are of its container, also those of other users,
// which it cannot look at.
bool is_another_here(ino_t own) {
  struct stat processes{};
  const bool is_contained = ::stat("/proc/self/ns/pid", &processes) == 0 && processes.st_ino != kFirstProcessNamespace;
  const Result<std::vector<std::string>> names = list_directory("/proc");
  if (!names) return true;
  const std::string self = std::to_string(::getpid());
  for (const std::string& name : *names) {
    if (name == self || name.find_first_not_of("0123456789") != std::string::npos) continue;
    const Place place = place_of(name, own);
    if (place == Place::same || (place == Place::unknown && is_contained)) return true;
  }
  return false;
}

}  // namespace

Status check_namespace() {
  struct stat own{};
  if (::stat("/proc/self/ns/mnt", &own) != 0 || is_first_mount_namespace(own.st_ino)) return done();
  if (!came_from_outside(own.st_ino) || is_another_here(own.st_ino)) return done();
  return Error{
      "each is the only process of its mount namespace, and no daemon outside sees the same files; run the whole build "
      "within one, or start a daemon outside",
      ErrorCode::unserved};
}

}  // namespace hipcache::client
