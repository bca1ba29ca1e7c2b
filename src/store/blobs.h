// Blobs on top of values: decides which are stored as deltas, and restores their bytes.
//
// A blob with bases needs all of them. If a base was evicted, the blob is forgotten when a get or a hold finds that
// out.
//
// Thread-safe.
#ifndef HIPCACHE_SRC_STORE_BLOBS_H
#define HIPCACHE_SRC_STORE_BLOBS_H

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/base/files.h"
#include "hipcache/base/result.h"
#include "hipcache/store/local_store.h"
#include "store/blob_value.h"
#include "store/value_table.h"

namespace hipcache::store {

// Families of blobs that resemble each other without containing each other, such as path sets or depfiles of units that
// include the same headers. Keeps a few blobs of each family in memory, as bases to compare new blobs with.
//
// A base is stored without bases of its own. Every use of a member uses its base too, so eviction takes the base last.
// The database has a note of each family's bases, and a new daemon continues with them.
//
// Bounded: kMostFamilies of kMostBases each, of kLongestBase bytes. Thread-safe.

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

class Blobs {
 public:
  Blobs(StoreState& state, ValueTable& values) : values_(values), families_(state, values) {}

  Result<std::optional<std::string>> get(const Digest& digest) { return get(digest, 0); }
  Result<std::optional<UniqueFd>> file(const Digest& digest);
  Result<bool> hold(const Digest& digest, Lease& lease) { return hold(digest, &lease, 0); }
  // Those that cannot be read, because they or their bases are not stored. Counts as a use of the others.
  Result<std::vector<Digest>> missing(std::span<const Digest> digests);
  Result<Digest> put(std::string_view bytes, const Likeness& likeness);

 private:
  struct Delta;

  Result<std::optional<std::string>> get(const Digest& digest, unsigned depth);
  Result<std::optional<UniqueFd>> file_of_whole(const Digest& digest);
  Result<bool> hold(const Digest& digest, Lease* lease, unsigned depth);
  Result<bool> is_kept(const Digest& digest);
  Result<std::optional<std::string>> prefix_of(const std::vector<Digest>& bases, unsigned depth);

  Result<std::optional<Delta>> of_parts(const Digest& digest, std::string_view bytes, const std::vector<Digest>& parts);
  std::optional<Delta> of_family(const Digest& digest, std::string_view bytes, std::string_view family);
  Result<bool> put_delta(const Digest& digest, const Delta& delta);
  Status put_whole(const Digest& digest, std::string_view bytes, std::string_view family, Packing packing);

  ValueTable& values_;
  AlikeBlobs families_;
};

}  // namespace hipcache::store

#endif
