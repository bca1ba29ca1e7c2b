// The stores of cache directories that are only read: HIPCACHE_SEED.
//
// Problem: what a seed holds is served, so whoever can change it decides what we run. A seed usually belongs to
// somebody else: whoever built the image, or an administrator.
// Choice: the user who names a seed trusts its owner. Nobody else may be able to change it, or to put another directory
// in its place: each directory and link on the way to it, links resolved, belongs to that owner, to us or to root, and
// others may not write there. A sticky directory on the way will do (/tmp): there nobody can replace what is another's.
// Rejected: to ask for a read-only mount (others may write to the same files through another mount), and to trust a
// seed's owner for its mode alone (the name may lead elsewhere tomorrow).
//
// A seed that is absent, damaged or not trusted is a warning in the log, once, and nothing that it holds is served.
#ifndef HIPCACHE_DAEMON_SEED_STORES_H
#define HIPCACHE_DAEMON_SEED_STORES_H

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hipcache/base/log.h"
#include "hipcache/base/own_directory.h"
#include "hipcache/base/result.h"
#include "hipcache/store/layers.h"

namespace hipcache::daemon {

// One thread at a time.
class SeedStores {
 public:
  // `directories` are absolute. `own` is our cache directory, which outlives this: it is no seed of itself.
  SeedStores(std::vector<std::string> directories, const OwnDirectory& own, Log& log)
      : directories_(std::move(directories)), own_(own), log_(log) {}

  // Those that may be read now.
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
