#include "daemon/request/foreign_mounts.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

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

constexpr std::uint64_t kTableLimit = 16u << 20;
constexpr std::uint64_t kMapLimit = 4096;

bool is_same_file(const std::string& one, const std::string& other) {
  struct stat left{};
  struct stat right{};
  return ::stat(one.c_str(), &left) == 0 && ::stat(other.c_str(), &right) == 0 && left.st_dev == right.st_dev &&
         left.st_ino == right.st_ino;
}

// Whether numbers of processes mean in /proc what they mean for this process.
bool is_own_proc() {
  char number[32];
  const ssize_t length = ::readlink("/proc/self", number, sizeof number);
  return length > 0 && std::string_view(number, static_cast<std::size_t>(length)) == std::to_string(::getpid());
}

bool is_namespace(const std::string& process, std::uint64_t number) {
  struct stat status{};
  return number != 0 && ::stat((process + "/ns/mnt").c_str(), &status) == 0 && status.st_ino == number;
}

// Root may read everything, but not in a user namespace that it entered. Another user has there the rights of its own
// files, unless further users are mapped.
bool may_read_the_same(const std::string& process) {
  if (is_same_file(process + "/ns/user", "/proc/self/ns/user")) return true;
  const Result<std::string> map = read_file(process + "/uid_map", kMapLimit);
  if (!map || ::geteuid() == 0) return false;
  const std::size_t end = map->find_last_not_of(" \n");
  return end != map->npos && map->find('\n') >= end && (*map)[end] == '1' && (*map)[end - 1] == ' ';
}

bool is_changed(const UniqueFd& table) {
  pollfd changed{.fd = table.get(), .events = POLLPRI, .revents = 0};
  return ::poll(&changed, 1, 0) != 0;
}

UniqueFd table_of(const std::string& process) {
  return UniqueFd(::open((process + "/mountinfo").c_str(), O_RDONLY | O_CLOEXEC));
}

// Nothing if the table changes at this moment.
std::optional<std::string> tree_in(const UniqueFd& table) {
  const Result<std::string> text = table ? read_fd(table.get(), kTableLimit, "mountinfo") : Error{"no table"};
  if (!text || is_changed(table)) return std::nullopt;
  return mount_tree(*text);
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

std::shared_ptr<ForeignMounts> ForeignMounts::like_own(pid_t client, const protocol::CompileRequest& request) {
  const std::string process = "/proc/" + std::to_string(client);
  if (client <= 0 || !is_own_proc() || !is_namespace(process, request.mount_view.mount_namespace)) return nullptr;
  UniqueFd theirs = table_of(process);
  const std::optional<std::string> tree = tree_in(theirs);
  if (!tree || tree != tree_in(table_of("/proc/self"))) return nullptr;
  const bool is_alike = is_same_file(process + "/root", "/") &&
                        is_same_file(process + "/cwd", request.working_directory) && may_read_the_same(process);
  return is_alike ? std::shared_ptr<ForeignMounts>(new ForeignMounts(std::move(theirs))) : nullptr;
}

bool ForeignMounts::have_changed() {
  changed_ = changed_ || is_changed(table_);
  return changed_;
}

}  // namespace hipcache::daemon
