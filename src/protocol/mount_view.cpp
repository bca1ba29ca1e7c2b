#include "hipcache/protocol/mount_view.h"

#include <sys/stat.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "hipcache/base/files.h"
#include "hipcache/protocol/mount_view_number.h"

namespace hipcache::protocol {
namespace {

constexpr std::size_t kViewDigits = 8;

bool is_hexadecimal(char letter) { return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f'); }

}  // namespace

MountView own_mount_view() {
  struct stat mounts{};
  struct stat root{};
  if (stat("/proc/self/ns/mnt", &mounts) != 0 || stat("/", &root) != 0) return {};
  return {mounts.st_ino, root.st_dev, root.st_ino};
}

std::string daemon_name(const MountView& view, uid_t user) {
  char digits[kViewDigits + 1];
  std::snprintf(digits, sizeof digits, "%08" PRIx32,
                hipcache_view_number(view.mount_namespace, view.root_device, view.root_inode));
  return std::to_string(user) + "-" + digits;
}

bool is_daemon_name(std::string_view name, uid_t user) {
  const std::string start = std::to_string(user) + "-";
  if (!name.starts_with(start) || name.size() != start.size() + kViewDigits) return false;
  return std::all_of(name.begin() + static_cast<std::ptrdiff_t>(start.size()), name.end(), is_hexadecimal);
}

std::string daemon_directory(const std::string& cache_directory) { return join_path(cache_directory, daemon_name()); }

}  // namespace hipcache::protocol
