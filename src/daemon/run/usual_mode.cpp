#include "daemon/run/usual_mode.h"

#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <sys/xattr.h>

#include <cstring>

#include "hipcache/base/files.h"

namespace hipcache::daemon {

namespace {

constexpr const char* kAttribute = "system.posix_acl_default";
constexpr mode_t kOfOneClass = 07;

// None if the directory has no such ACL, or if it is longer than any that the kernel stores.
std::optional<std::string> default_acl(const std::string& directory) {
  const ssize_t size = getxattr(directory.c_str(), kAttribute, nullptr, 0);
  if (size <= 0) return std::nullopt;
  std::string bytes(static_cast<std::size_t>(size), '\0');
  const ssize_t got = getxattr(directory.c_str(), kAttribute, bytes.data(), bytes.size());
  if (got <= 0) return std::nullopt;
  bytes.resize(static_cast<std::size_t>(got));
  return bytes;
}

}  // namespace

std::optional<mode_t> allowed_by_default_acl(std::string_view bytes) {
  posix_acl_xattr_header header{};
  if (bytes.size() < sizeof header || (bytes.size() - sizeof header) % sizeof(posix_acl_xattr_entry) != 0)
    return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.a_version != POSIX_ACL_XATTR_VERSION) return std::nullopt;
  mode_t owner = 0;
  mode_t others = 0;
  mode_t group = 0;
  std::optional<mode_t> mask;  // counts instead of the group where there is one
  for (std::size_t at = sizeof header; at < bytes.size(); at += sizeof(posix_acl_xattr_entry)) {
    posix_acl_xattr_entry entry{};
    std::memcpy(&entry, bytes.data() + at, sizeof entry);
    const mode_t allowed = entry.e_perm & kOfOneClass;
    if (entry.e_tag == ACL_USER_OBJ) owner = allowed;
    if (entry.e_tag == ACL_GROUP_OBJ) group = allowed;
    if (entry.e_tag == ACL_MASK) mask = allowed;
    if (entry.e_tag == ACL_OTHER) others = allowed;
  }
  return owner << 6 | mask.value_or(group) << 3 | others;
}

mode_t usual_mode(const std::string& path, mode_t asked, mode_t umask) {
  const std::optional<std::string> acl = default_acl(std::string(directory_name(path)));
  const std::optional<mode_t> allowed = acl ? allowed_by_default_acl(*acl) : std::nullopt;
  return asked & allowed.value_or(~umask);
}

}  // namespace hipcache::daemon
