#include "client/connection/private_place.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "hipcache/base/files.h"
#include "hipcache/protocol/channel.h"

namespace hipcache::client {
namespace {

bool is_ours(const struct stat& status) { return S_ISDIR(status.st_mode) && status.st_uid == geteuid(); }

bool can_make(const std::string& directory) {
  struct stat status{};
  if (!protocol::socket_path(directory)) return false;
  if (mkdir(directory.c_str(), S_IRWXU) != 0 && errno != EEXIST) return false;
  return lstat(directory.c_str(), &status) == 0 && is_ours(status);
}

// Ignores a directory of another user, which sudo may have left in the variable.
std::string runtime_directory(const config::Lookup& variable) {
  const std::string directory = variable("XDG_RUNTIME_DIR").value_or("");
  struct stat status{};
  const bool will_do = directory.starts_with('/') && stat(directory.c_str(), &status) == 0 && is_ours(status);
  return will_do ? directory : "";
}

}  // namespace

std::optional<std::string> private_place(const config::Lookup& variable, const std::string& name) {
  const std::string runtime = runtime_directory(variable);
  std::string place = join_path(runtime, "hipcache-" + name);
  if (!runtime.empty() && can_make(place)) return place;
  place = "/tmp/hipcache-" + std::to_string(geteuid()) + "-" + name;
  return can_make(place) ? std::optional(place) : std::nullopt;
}

}  // namespace hipcache::client
