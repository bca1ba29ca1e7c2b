#include "daemon/server/seed_stores.h"

#include <sys/stat.h>

#include "daemon/server/member_stores.h"
#include "daemon/shared/trusted_way.h"
#include "hipcache/base/files.h"

namespace hipcache::daemon {

std::vector<store::Layer> SeedStores::layers() {
  std::vector<store::Layer> found;
  for (const std::string& seed : directories_)
    if (Status added = add_stores_of(seed, found); !added)
      warn("seed " + seed + " is not read: " + added.error().message);
  return found;
}

Status SeedStores::add_stores_of(const std::string& seed, std::vector<store::Layer>& found) {
  const Result<struct stat> status = look_at_trusted(seed);
  if (!status) return status.error();
  struct stat own{};
  if (fstat(own_.fd(), &own) == 0 && own.st_dev == status->st_dev && own.st_ino == status->st_ino) return done();
  const Result<std::vector<std::string>> names = list_directory(seed);
  if (!names) return names.error();
  bool is_empty = true;
  for (const std::string& name : *names) {
    if (!MemberStores::is_store_name(name)) continue;
    is_empty = false;
    std::string store = join_path(seed, name);
    if (Status trusted = check_trusted_below(store, status->st_uid); !trusted)
      warn("store " + store + " is not read: " + trusted.error().message);
    else
      found.push_back({.directory = std::move(store), .is_in_use = false});
  }
  if (is_empty) return Error{"there is no store in this directory", ErrorCode::gone};
  return done();
}

void SeedStores::warn(const std::string& problem) {
  if (said_.insert(problem).second) log_.warning(problem);
}

}  // namespace hipcache::daemon
