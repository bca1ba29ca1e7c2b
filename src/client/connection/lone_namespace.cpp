#include "client/connection/lone_namespace.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <optional>
#include <string>

#include "client/connection/daemon_start.h"
#include "hipcache/base/checksum.h"
#include "hipcache/base/files.h"

namespace hipcache::client {
namespace {

constexpr unsigned kNotes = 64;
constexpr std::uint64_t kNoteLimit = 128;
constexpr unsigned kReusedId = 0x1000;  // STATX_MNT_ID
constexpr unsigned kUniqueId = 0x4000;  // STATX_MNT_ID_UNIQUE

// The namespace in which the machine started has one of these numbers, by the kernel's version. There a parent that
// cannot be looked at is another user's, such as sudo.
bool is_first_namespace(ino_t number) { return number == 0xF0000000 || number == 0xF0000001; }

bool is_parent_outside(ino_t own) {
  const pid_t parent = ::getppid();
  if (parent == 0) return true;  // it is outside of the process namespace, too
  struct stat status{};
  if (::stat(("/proc/" + std::to_string(parent) + "/ns/mnt").c_str(), &status) == 0) return status.st_ino != own;
  return !is_first_namespace(own);
}

// The number of a namespace is given again when the namespace is gone. The id of the mount at its root is not, from
// Linux 6.8 on.
std::string note_of(ino_t own) {
  struct statx root{};
  if (::statx(AT_FDCWD, "/", 0, kReusedId | kUniqueId, &root) != 0) return "";
  return std::to_string(own) + " " + std::to_string(root.stx_mnt_id) + " " + std::to_string(root.stx_ino);
}

// Whether the note was there. Replaces that of another namespace with the same place.
bool was_noted(const std::string& note, const config::Lookup& variable) {
  const std::optional<std::string> directory = private_place(variable, "namespaces");
  if (note.empty() || !directory) return false;
  const std::string path = join_path(*directory, std::to_string(checksum_of(note) % kNotes));
  if (const Result<std::string> known = read_file(path, kNoteLimit); known && *known == note) return true;
  [[maybe_unused]] const Status written = replace_file(path, note);
  return false;
}

}  // namespace

Status check_namespace(const config::Lookup& variable) {
  struct stat own{};
  if (::stat("/proc/self/ns/mnt", &own) != 0 || !is_parent_outside(own.st_ino)) return done();
  if (was_noted(note_of(own.st_ino), variable)) return done();
  return Error{"each is the only process of its mount namespace; run the whole build within one",
               ErrorCode::unserved};
}

}  // namespace hipcache::client
