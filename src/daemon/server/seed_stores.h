// Reads the stores of read-only cache directories: HIPCACHE_SEED.
//
// Problem: results from a seed are served, so a user who can change the seed decides what this user runs. A seed
// usually belongs to another user, who built the image, or to an administrator.
// Choice: by naming a seed, the user trusts its owner. No other user may be able to change the seed, or to replace its
// directory. So each directory and link on the resolved path belongs to that owner, to this user or to root, and others
// may not write there. A sticky directory on the path is allowed (/tmp), because users cannot replace the entries of
// others in it.
// Rejected: requiring a read-only mount, because others may write to the same files through another mount. Also
// rejected: checking only the seed's own mode, because its path may lead elsewhere later.
//
// A seed that is absent, damaged or not trusted is logged once as a warning, and not read.
//
// Used by one thread at a time.
#ifndef HIPCACHE_SRC_DAEMON_SERVER_SEED_STORES_H
#define HIPCACHE_SRC_DAEMON_SERVER_SEED_STORES_H

#include <sys/stat.h>
#include <sys/types.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hipcache/base/log.h"
#include "hipcache/base/own_directory.h"
#include "hipcache/base/result.h"
#include "hipcache/store/local_store.h"

namespace hipcache::daemon {

// The status of the directory at the absolute `path`. An error, which names the place, if users other than the owner,
// this user and root can change the directory's contents or where the path leads.
Result<struct stat> look_at_trusted(const std::string& path);

// The same for a directory in one of that owner, whose path was checked already. A link is an error.
Status check_trusted_below(const std::string& path, uid_t owner);

class SeedStores {
 public:
  // `directories` are absolute. `own` is the daemon's cache directory, which outlives this object and is not a seed of
  // itself.
  SeedStores(std::vector<std::string> directories, const OwnDirectory& own, Log& log)
      : directories_(std::move(directories)), own_(own), log_(log) {}

  // The stores that may be read now.
  std::vector<store::Layer> layers();

 private:
  Status add_stores_of(const std::string& seed, std::vector<store::Layer>& found);
  void warn(const std::string& problem);

  std::vector<std::string> directories_;
  const OwnDirectory& own_;
  Log& log_;
  std::set<std::string> said_;
};

}  // namespace hipcache::daemon

#endif
