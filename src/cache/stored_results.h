// The results of our own store, and of the stores below it: which of them counts, and what may take its place.
//
// Two rules hold here for all callers. Where a result lies says how it came there (hipcache/cache/remote_results.h). A
// result that an audit dropped stays dropped until a run makes it again (hipcache/cache/action_cache.h).
//
// Thread-safe. Owns nothing: the arguments outlive it.
#ifndef HIPCACHE_SRC_CACHE_STORED_RESULTS_H
#define HIPCACHE_SRC_CACHE_STORED_RESULTS_H

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/base/log.h"
#include "hipcache/cache/action_cache.h"
#include "hipcache/cache/remote_results.h"
#include "hipcache/inputs/path_set.h"
#include "hipcache/store/local_store.h"

namespace hipcache::cache {

// What is known of a stored result beside the result itself: that it was found wrong, or where it came from.
//
// A wrong result is replaced by a mark, and not removed: a removed one would come back from the next shared cache or
// seed. Whatever run makes the result again replaces the mark. The origin of a result of a shared cache is a value of
// its own. It holds the digest of that result, so it says nothing about a later one under the same key.

// The value that stands in the place of a wrong result. No ActionResult has this form.
std::string dropped_mark();
bool is_dropped_mark(std::string_view value);

// Whether a result that came from elsewhere may take the place of `present` (store::MayReplace).
inline bool is_not_dropped(const std::optional<std::string>& present) { return !present || !is_dropped_mark(*present); }

// The key of the origin of the result under `result_key`.
Digest origin_key(const Digest& result_key);

// `result`: the result as shared caches have it (encode_shared). `tier`: the shared cache, without secrets.
std::string encode_origin(std::string_view result, std::string_view tier);

// The tier in `origin`; "" if it is damaged, or if it is that of another result.
std::string tier_of(std::string_view origin, std::string_view result);

// The keys under which our own store keeps a result: hipcache/cache/remote_results.h says why there are several.

// Nothing: every result counts.
using Trusted = std::optional<Trust>;

// Where this daemon puts the result that shared caches have under `result_key`.
Digest stored_under(const Trusted& trust, const Digest& result_key);

// Where it looks, in this order. The first is stored_under().
std::vector<Digest> found_under(const Trusted& trust, const Digest& result_key);

// Where daemons with the same trusted keys look, whether they sign or not.
std::vector<Digest> known_under(const Trusted& trust, const Digest& result_key);

// Whether results of other stores of this machine count. They do not say how they came there.
bool reads_other_stores(const Trusted& trust);

// Results that came from elsewhere, on their way into our own store: from a shared cache, or from an archive.

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

class StoredResults {
 public:
  StoredResults(store::LocalStore& store, Log& log, const Trusted& trust) : store_(store), log_(log), trust_(trust) {}

  // A result, and what it must have.
  struct Sought {
    FoundBy names;
    const Suffices& suffices;
    store::Lease& lease;
  };

  // The lease holds the blobs of what is found. What is found below becomes our own.
  std::optional<ActionResult> find(const Sought& sought);

  // The result of a run, in the place of whatever is there. REQUIRES: its blobs are stored.
  Status put(const FoundBy& names, ActionResult result);

  // The result in the place of `found`; false if that was dropped, or replaced by another one.
  Result<bool> replace(const FoundBy& names, const ActionResult& found, ActionResult result);

  // Also where daemons look that trust the same keys: the result may have come there too.
  Status drop(const Digest& result_key);

  // None if results of other stores do not count.
  std::vector<std::shared_ptr<store::ReadableStore>> lower();

  const Trusted& trust() const { return trust_; }

 private:
  std::optional<std::string> read(store::ReadableStore& store, const Digest& place);
  std::optional<ActionResult> decode(const std::string& stored);
  std::optional<ActionResult> find_below(std::span<const Digest> places);
  bool is_of_use(const ActionResult& result, const Sought& sought);
  void note_found_by(const FoundBy& names, const ActionResult& result, const std::string& stored);
  void take_over(const FoundBy& names, ActionResult& result, const std::optional<std::string>& before);

  store::LocalStore& store_;
  Log& log_;
  const Trusted trust_;
};

}  // namespace hipcache::cache

#endif
