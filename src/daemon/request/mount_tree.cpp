#include "daemon/request/mount_tree.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "hipcache/base/text.h"

namespace hipcache::daemon {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kDeepest = 256;

// Options of a mount that change neither what a name leads to nor whether a program may run. All others count, as
// "nosymfollow", "noexec" and those of kernels to come.
constexpr std::array kHarmless = {"rw"sv,       "ro"sv,      "nosuid"sv,     "nodev"sv,
                                  "relatime"sv, "noatime"sv, "nodiratime"sv, "strictatime"sv};

struct Mount {
  std::string_view id;
  std::string_view parent;
  std::string_view place;
  std::string shown;
};

// Up to the separator, which is dropped.
std::string_view cut(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

void add_unusual_options(std::string_view options, std::string& shown) {
  while (!options.empty())
    if (const std::string_view option = cut(options, ','); !holds(kHarmless, option)) shown.append(",").append(option);
}

// The kernel marks the names of removed directories so.
bool is_removed(std::string_view name) { return name.ends_with("//deleted"); }

// proc_pid_mountinfo(5). Names have no blanks: those are written as \040.
std::optional<Mount> mount_in(std::string_view line) {
  Mount mount;
  mount.id = cut(line, ' ');
  mount.parent = cut(line, ' ');
  const std::string_view device = cut(line, ' ');
  const std::string_view root = cut(line, ' ');
  mount.place = cut(line, ' ');
  const std::string_view options = cut(line, ' ');
  while (!line.empty() && cut(line, ' ') != "-") {
  }
  const std::string_view type = cut(line, ' ');
  if (type.empty() || !mount.place.starts_with('/') || is_removed(mount.place) || is_removed(root)) return std::nullopt;
  for (const std::string_view part : {mount.place, device, root, type}) mount.shown.append(part).append(" ");
  add_unusual_options(options, mount.shown);
  return mount;
}

using Children = std::map<std::string_view, std::vector<const Mount*>>;

// The number of mounts added.
std::size_t add_tree(const Mount& top, std::size_t depth, Children& children, std::string& text) {
  text.append(std::to_string(depth)).append(" ").append(top.shown).append("\n");
  std::size_t added = 1;
  const auto below = children.find(top.id);
  if (below == children.end() || depth == kDeepest) return added;
  std::sort(below->second.begin(), below->second.end(),
            [](const Mount* one, const Mount* other) { return one->shown < other->shown; });
  for (const Mount* mount : below->second) added += add_tree(*mount, depth + 1, children, text);
  return added;
}

}  // namespace

std::optional<std::string> mount_tree(std::string_view mountinfo) {
  std::vector<Mount> mounts;
  while (!mountinfo.empty()) {
    std::optional<Mount> mount = mount_in(cut(mountinfo, '\n'));
    if (!mount) return std::nullopt;
    mounts.push_back(std::move(*mount));
  }
  const Mount* top = nullptr;
  Children children;
  for (const Mount& mount : mounts) {
    if (mount.place != "/") {
      children[mount.parent].push_back(&mount);
    } else if (std::exchange(top, &mount) != nullptr) {
      return std::nullopt;
    }
  }
  std::string text;
  if (top == nullptr || add_tree(*top, 0, children, text) != mounts.size()) return std::nullopt;
  return text;
}

}  // namespace hipcache::daemon
