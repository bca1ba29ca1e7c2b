// The results of our own store, and of the stores below it: which of them counts, and what may take its place.
//
// Two rules hold here for all callers. Where a result lies says how it came there (hipcache/cache/trust.h). A result
// that an audit dropped stays dropped until a run makes it again (hipcache/cache/action_cache.h).
//
// Thread-safe. Owns nothing: the arguments outlive it.
#ifndef HIPCACHE_SRC_CACHE_STORED_RESULTS_H
#define HIPCACHE_SRC_CACHE_STORED_RESULTS_H

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cache/result_places.h"
#include "hipcache/base/log.h"
#include "hipcache/cache/action_cache.h"
#include "hipcache/store/local_store.h"

namespace hipcache::cache {

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
