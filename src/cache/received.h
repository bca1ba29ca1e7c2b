// Results that came from elsewhere, on their way into our own store: from a shared cache, or from an archive.
#ifndef HIPCACHE_SRC_CACHE_RECEIVED_H
#define HIPCACHE_SRC_CACHE_RECEIVED_H

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/result_places.h"
#include "hipcache/cache/action_cache.h"
#include "hipcache/inputs/path_set.h"
#include "hipcache/store/local_store.h"

namespace hipcache::cache {

struct Received {
  ActionKey key;
  Digest result_key;
  std::shared_ptr<const inputs::PathSet> set;
  ActionResult result;
  std::string tier;  // the shared cache that had it, without secrets; empty if it came from an archive
};

// Whether the result may be served to those names. A result that says that it is found by other ones was put there by
// an import of an archive that names keys at will.
bool may_be_found_by(const FoundBy& names, const ActionResult& result);

// The bytes that shared caches and archives have: without what it is found by.
std::string encode_shared(ActionResult result);

// The blobs that the result names, in the order of its outputs.
std::vector<Digest> blobs_of(const ActionResult& result);

// Null if the bytes are damaged, or of a set with another id.
std::shared_ptr<const inputs::PathSet> decode_set(const Digest& id, std::string_view bytes);

// Puts a blob whose bytes must match the digest.
Status put_received_blob(const Digest& digest, std::string_view bytes, store::LocalStore& store);

// Puts the path set, the result with what it is found by, where it came from, and the list. ErrorCode::gone if a blob
// of the result is not in the store, or `may` does not allow the result in the place of what is there; the lease pins
// the blobs. `trust`: as ActionCache's.
Status put_received(const Received& received, const Trusted& trust, const store::MayReplace& may,
                    store::LocalStore& store, store::Lease& lease);

}  // namespace hipcache::cache

#endif
