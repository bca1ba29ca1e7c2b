// Families of blobs that resemble each other without containing each other, such as path sets or depfiles of units that
// include the same headers. Keeps a few blobs of each family in memory, as bases to compare new blobs with.
//
// A base is stored without bases of its own. Every use of a member uses its base too, so eviction takes the base last.
// The database has a note of each family's bases, and a new daemon continues with them.
//
// Bounded: kMostFamilies of kMostBases each, of kLongestBase bytes. Thread-safe.
#ifndef HIPCACHE_SRC_STORE_LOCAL_ALIKE_BLOBS_H
#define HIPCACHE_SRC_STORE_LOCAL_ALIKE_BLOBS_H

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/digest.h"
#include "store/local/value_table.h"

namespace hipcache::store {

struct AlikeBase {
  Digest digest;
  std::shared_ptr<const std::string> bytes;
};

class AlikeBlobs {
 public:
  static constexpr std::size_t kMostFamilies = 16;
  static constexpr std::size_t kMostBases = 4;
  static constexpr std::size_t kLongestBase = std::size_t{256} << 10;

  AlikeBlobs(StoreState& state, ValueTable& values) : state_(state), values_(values) {}

  // The family's bases that are still stored, the last that served at the front.
  std::vector<AlikeBase> bases_of(std::string_view family);

  // Records that this base served its family, or adds it as a new base.
  void served(std::string_view family, const AlikeBase& base);

  // The bytes of a base in memory; null if there is no such base.
  std::shared_ptr<const std::string> bytes(const Digest& base) const;

 private:
  using Bases = std::vector<AlikeBase>;

  Bases& known(std::string_view family);
  Bases noted(std::string_view family);
  void note(std::string_view family, const Bases& bases);

  StoreState& state_;
  ValueTable& values_;
  mutable std::mutex mutex_;
  std::map<std::string, Bases, std::less<>> families_;
};

}  // namespace hipcache::store

#endif
