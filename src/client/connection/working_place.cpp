#include "client/connection/working_place.h"

#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <utility>

#include "client/connection/private_place.h"
#include "hipcache/base/checksum.h"
#include "hipcache/config/cache_place.h"

namespace hipcache::client {
namespace {

// True only for an existing directory. A missing one is handled elsewhere: it is made, or making it fails.
bool can_only_be_read(const std::string& directory) {
  struct stat status{};
  if (stat(directory.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return false;
  return status.st_uid != geteuid() || access(directory.c_str(), W_OK) != 0;
}

}  // namespace

config::Settings working_place(config::Settings located) {
  located.seeds.clear();
  if (!can_only_be_read(located.directory)) return located;
  const config::Lookup variable = config::lookup_in_process();
  const Result<config::Settings> all = config::load(variable);
  if (!all || !all->readonly || located.directory.find(',') != std::string::npos) return located;
  if (config::lets_group_write(*all) && access(located.directory.c_str(), W_OK) == 0) return located;
  std::optional<std::string> place = private_place(variable, checksum_hex(checksum_of(located.directory)));
  if (!place) return located;
  located.seeds = all->seeds;
  located.seeds.insert(located.seeds.begin(), located.directory);
  located.directory = std::move(*place);
  located.user_home.clear();
  return located;
}

}  // namespace hipcache::client
