// Blobs that resemble each other without containing each other: the path sets of all units that include the same
// headers, their depfiles. Of each family the few that newcomers are compared with, in memory.
//
// A base is stored whole, and used whenever one of its family is: eviction takes it last of them. The bases of a family
// are noted in the database, so that a new daemon goes on with them. Bounded: kMostFamilies of kMostBases each, of
// kLongestBase bytes. Thread-safe.
#ifndef HIPCACHE_STORE_FAMILIES_H
#define HIPCACHE_STORE_FAMILIES_H

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/digest.h"
#include "store/values.h"

namespace hipcache::store {

struct FamilyBase {
  Digest digest;
  std::shared_ptr<const std::string> bytes;
};

class Families {
 public:
  static constexpr std::size_t kMostFamilies = 16;
  static constexpr std::size_t kMostBases = 4;
  static constexpr std::size_t kLongestBase = std::size_t{256} << 10;

  Families(Contents& contents, Values& values) : contents_(contents), values_(values) {}

  // Of those that are still stored, the one that served last at the front.
  std::vector<FamilyBase> bases_of(std::string_view family);

  // This base has served its family, or is new in it.
  void served(std::string_view family, const FamilyBase& base);

  // The bytes of a base in memory; null if there is no such base.
  std::shared_ptr<const std::string> bytes(const Digest& base) const;

 private:
  using Bases = std::vector<FamilyBase>;

  Bases& known(std::string_view family);
  Bases noted(std::string_view family);
  void note(std::string_view family, const Bases& bases);

  Contents& contents_;
  Values& values_;
  mutable std::mutex mutex_;
  std::map<std::string, Bases, std::less<>> families_;
};

}  // namespace hipcache::store

#endif
