#include "client/connection/lone_namespace.h"

#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "hipcache/base/files.h"

namespace hipcache::client {
namespace {

enum class Place { same, other, unknown };

// The namespaces in which the machine started. That of mounts has one of these numbers, by the kernel's version.
bool is_first_mount_namespace(ino_t number) { return number == 0xF0000000 || number == 0xF0000001; }
constexpr ino_t kFirstProcessNamespace = 0xEFFFFFFC;

Place place_of(const std::string& process, ino_t own) {
  struct stat status{};
  if (::stat(("/proc/" + process + "/ns/mnt").c_str(), &status) != 0) return Place::unknown;
  return status.st_ino == own ? Place::same : Place::other;
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
  const pid_t parent = ::getppid();
  if (parent != 0 && place_of(std::to_string(parent), own.st_ino) == Place::same) return done();
  if (is_another_here(own.st_ino)) return done();
  return Error{"each is the only process of its mount namespace; run the whole build within one", ErrorCode::unserved};
}

}  // namespace hipcache::client
