// Blobs on top of values: decides which are stored as deltas, and restores their bytes.
//
// A blob with bases needs all of them. If a base was evicted, the blob is forgotten when a get or a hold finds that
// out.
//
// Thread-safe.
#ifndef HIPCACHE_SRC_STORE_LOCAL_BLOBS_H
#define HIPCACHE_SRC_STORE_LOCAL_BLOBS_H

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/base/files.h"
#include "hipcache/base/result.h"
#include "hipcache/store/local_store.h"
#include "store/local/alike_blobs.h"
#include "store/local/blob_value.h"
#include "store/local/value_table.h"

namespace hipcache::store {

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
