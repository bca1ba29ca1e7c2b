// The stores of one cache directory.
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
