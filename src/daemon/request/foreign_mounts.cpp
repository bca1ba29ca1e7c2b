#include "daemon/request/foreign_mounts.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <utility>

#include "daemon/request/mount_tree.h"

namespace hipcache::daemon {
namespace {

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
