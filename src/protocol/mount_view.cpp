#include "hipcache/protocol/mount_view.h"

#include <algorithm>

#include "hipcache/base/files.h"
#include "hipcache/launcher/daemon_address.h"

namespace hipcache::protocol {
namespace {

bool is_hexadecimal(char letter) { return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f'); }

}  // namespace

MountView own_mount_view() {
  const launch_view view = launch_own_view();
  return {view.mount_namespace, view.root_device, view.root_inode};
}

std::string daemon_name(const MountView& view, uid_t user) {
  const launch_view same{view.mount_namespace, view.root_device, view.root_inode};
  char name[LAUNCH_NAME_SIZE];
  launch_daemon_name(&same, user, name);
  return name;
}

bool is_daemon_name(std::string_view name, uid_t user) {
  const std::string start = std::to_string(user) + "-";
  if (!name.starts_with(start) || name.size() != start.size() + LAUNCH_VIEW_DIGITS) return false;
  return std::all_of(name.begin() + static_cast<std::ptrdiff_t>(start.size()), name.end(), is_hexadecimal);
}

std::string daemon_directory(const std::string& cache_directory) { return join_path(cache_directory, daemon_name()); }

}  // namespace hipcache::protocol
