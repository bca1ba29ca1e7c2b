// The stores of one cache directory.
//
// the owner's first store; the only one if one user has one view
//
// A database can be open in one daemon only. So each daemon takes the first free store of its user, writes only to that
// one, and reads the others (hipcache/store/local_store.h). A store outlives its daemon, and later daemons use or read
// it. A restarted daemon takes its previous store again if that is free.
//
// Entries of other stores are served, so the owner of a store must be trusted: this user, root, or a member of the
// group that shares the directory. Only members can make a store there. Its files belong to the group, and only its
// owner may write.
#ifndef HIPCACHE_SRC_DAEMON_SERVER_MEMBER_STORES_H
#define HIPCACHE_SRC_DAEMON_SERVER_MEMBER_STORES_H

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hipcache/base/log.h"
#include "hipcache/base/own_directory.h"
#include "hipcache/base/result.h"
#include "hipcache/store/local_store.h"

namespace hipcache::daemon {

// Checks who can change what a path leads to.

// The status of the directory at the absolute `path`. An error, which names the place, if users other than the owner,
// this user and root can change the directory's contents or where the path leads.
Result<struct stat> look_at_trusted(const std::string& path);

// The same for a directory in one of that owner, whose path was checked already. A link is an error.
Status check_trusted_below(const std::string& path, uid_t owner);

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

// One thread at a time.
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

class MemberStores {
 public:
  static constexpr unsigned kMost = 16;  // of one user

  // `group`: its members are trusted, if the directory is shared (hipcache/config/cache_place.h). `home`: this daemon's
  // directory, which records the store that it used. The cache directory outlives this object.
  MemberStores(const OwnDirectory& directory, std::optional<gid_t> group, std::string home, Log& log)
      : directory_(directory), group_(group), home_(std::move(home)), log_(log) {}

  // Whether a directory of that name in a cache directory is a store.
  static bool is_store_name(std::string_view name);

  // Whether the first store can be used, without opening it. Called before the daemon accepts clients, so that a client
  // learns of an error at once.
  Status check() const;

  // Opens the daemon's own store. An error if none can be opened, or other daemons hold all of them.
  Result<std::unique_ptr<store::LocalStore>> open_own(std::uint64_t max_bytes);

  // The directories of the other stores that may be read. REQUIRES: open_own() was called; one thread at a time.
  std::vector<std::string> others();

  // The name of the daemon's own store, once it is open.
  const std::string& own() const { return own_; }

 private:
  Result<std::unique_ptr<store::LocalStore>> open(const std::string& name, std::uint64_t max_bytes);
  std::string name_of(unsigned number) const;
  std::string used_before() const;
  bool is_taken(const std::string& name, const Error& error) const;
  bool is_trusted(const std::string& name);

  const OwnDirectory& directory_;
  std::optional<gid_t> group_;
  std::string home_;
  Log& log_;
  std::string own_;
  std::set<std::string> refused_;  // already logged
};

}  // namespace hipcache::daemon

#endif
