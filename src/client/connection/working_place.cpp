#include "client/connection/working_place.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

#include "hipcache/base/checksum.h"
#include "hipcache/base/files.h"
#include "hipcache/config/cache_place.h"
#include "hipcache/protocol/channel.h"

namespace hipcache::client {
namespace {

// True only for an existing directory. A missing one is handled elsewhere: it is made, or making it fails.
bool can_only_be_read(const std::string& directory) {
  struct stat status{};
  if (stat(directory.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return false;
  return status.st_uid != geteuid() || access(directory.c_str(), W_OK) != 0;
}

bool is_ours(const struct stat& status) { return S_ISDIR(status.st_mode) && status.st_uid == geteuid(); }

// Makes the directory and checks it without following links: in /tmp, others may have made something of that name.
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

config::Settings working_place(config::Settings located) {
  located.seeds.clear();
  if (!can_only_be_read(located.directory)) return located;
  const config::Lookup variable = config::lookup_in_process();
  const Result<config::Settings> all = config::load(variable);
  if (!all || !all->readonly || located.directory.find(',') != std::string::npos) return located;
  if (config::lets_group_write(*all) && access(located.directory.c_str(), W_OK) == 0) return located;
  const std::string hash = checksum_hex(checksum_of(located.directory));
  const std::string runtime = runtime_directory(variable);
  std::string place = join_path(runtime, "hipcache-" + hash);
  if (runtime.empty() || !can_make(place)) {
    place = "/tmp/hipcache-" + std::to_string(geteuid()) + "-" + hash;
    if (!can_make(place)) return located;
  }
  located.seeds = all->seeds;
  located.seeds.insert(located.seeds.begin(), located.directory);
  located.directory = std::move(place);
  located.user_home.clear();
  return located;
}

}  // namespace hipcache::client
