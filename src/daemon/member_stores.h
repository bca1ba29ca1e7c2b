// The stores that lie side by side in one cache directory.
//
//   <dir>/store/            the first of the directory's owner: all there is where one user has one view
//   <dir>/store-<uid>-<n>/  those of other users, and of further views (containers) of the same user
//
// A database has one owner. So each daemon takes the first store of its user that nobody holds, writes to that one
// alone, and reads the others (hipcache/store/layers.h). A store outlives its daemon: the next one takes it, or reads
// it. A daemon that starts again takes the store that it had before if that is free.
//
// What is read is served, so the owner of a store must be trusted: this user, root, or a member of the group that
// shares the directory. Only members can make a store there, and what they make belongs to the group; only its owner
// may write.
#ifndef HIPCACHE_DAEMON_MEMBER_STORES_H
#define HIPCACHE_DAEMON_MEMBER_STORES_H

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/log.h"
#include "hipcache/base/own_directory.h"
#include "hipcache/base/result.h"
#include "hipcache/store/store.h"

namespace hipcache::daemon {

class MemberStores {
 public:
  static constexpr unsigned kMost = 16;  // of one user

  // `group`: whose members are trusted, if the directory is shared (hipcache/config/cache_place.h). `home`: the
  // directory of this daemon, where it keeps in mind which store was its own. The cache directory outlives this.
  MemberStores(const OwnDirectory& directory, std::optional<gid_t> group, std::string home, Log& log)
      : directory_(directory), group_(group), home_(std::move(home)), log_(log) {}

  // Whether a directory of this name in a cache directory is a store.
  static bool is_store_name(std::string_view name);

  // Whether the first store can be used, without opening it: for whoever starts the daemon, before clients are let in.
  Status check() const;

  // An error if none can be opened, or all are held by other daemons.
  Result<std::unique_ptr<store::Store>> open_own(std::uint64_t max_bytes);

  // The directories of the others that may be read. REQUIRES: open_own() was called; one thread at a time.
  std::vector<std::string> others();

  // The name of our own, once it is open.
  const std::string& own() const { return own_; }

 private:
  Result<std::unique_ptr<store::Store>> open(const std::string& name, std::uint64_t max_bytes);
  std::string name_of(unsigned number) const;
  std::string used_before() const;
  bool is_taken(const std::string& name, const Error& error) const;
  bool is_trusted(const std::string& name);

  const OwnDirectory& directory_;
  std::optional<gid_t> group_;
  std::string home_;
  Log& log_;
  std::string own_;
  std::set<std::string> refused_;  // said in the log
};

}  // namespace hipcache::daemon

#endif
