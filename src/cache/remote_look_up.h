// Brings results from shared caches into our own store (hipcache/cache/remote_results.h).
#ifndef HIPCACHE_SRC_CACHE_REMOTE_LOOK_UP_H
#define HIPCACHE_SRC_CACHE_REMOTE_LOOK_UP_H

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/base/log.h"
#include "hipcache/cache/action_cache.h"
#include "hipcache/cache/remote_results.h"
#include "hipcache/inputs/file_system_state.h"
#include "hipcache/inputs/path_set.h"
#include "hipcache/store/local_store.h"

namespace hipcache::cache {

// Recently decoded path sets, so that a hit does not decompress a thousand names again. Bounded by
// bytes; the least recently used set is dropped first. Users may keep a dropped set. Thread-safe.

class DecodedSets {
 public:
  explicit DecodedSets(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  // Looks up by set id; null if the set is not in memory.
  std::shared_ptr<const inputs::PathSet> find(const Digest& id);
  void insert(std::shared_ptr<const inputs::PathSet> set);
  std::size_t bytes() const;

 private:
  using Order = std::list<std::shared_ptr<const inputs::PathSet>>;

  const std::size_t max_bytes_;
  mutable std::mutex mutex_;
  Order order_;  // most recently used first
  std::unordered_map<Digest, Order::iterator> places_;
  std::size_t bytes_ = 0;
};

// For one look-up, in one thread. The arguments outlive it.
class RemoteLookUp {
 public:
  struct Tools {
    RemoteResults& remote;
    store::LocalStore& store;
    inputs::FileSystemState& file_system;
    DecodedSets& decoded;
    Log& log;
    const std::optional<Trust>& trust;
  };

  RemoteLookUp(const Tools& tools, const inputs::RunContext& from, store::Lease& lease, inputs::Effort* effort)
      : tools_(tools), from_(from), lease_(lease), effort_(effort) {}

  // A key that has a result in our store now, and what it is found by.
  struct Fetched {
    ActionKey key;
    inputs::Witnessed witnessed;
  };

  // Results for those keys that are valid on this machine now. All keys are asked about at once: in one round trip the
  // lists, in the next the results, in a third the large blobs. The states are those from before the results were asked
  // for, which is after the request began: a compiler that started then would have read the same.
  std::vector<Fetched> fetch_results(std::span<const ActionKey> keys);

 private:
  // A result that some server has, for a path set whose state is the present one here.
  struct Candidate {
    ActionKey key;
    inputs::Witnessed witnessed;
    Digest result_key;
    std::optional<ActionResult> result;
    std::string tier;                                   // that had the result
    std::vector<std::pair<Digest, std::string>> blobs;  // that our store lacks
    std::vector<RemoteBlobName> wanted;                 // of them, those that did not come with the result
  };

  bool is_dropped(const Digest& result_key);
  std::vector<Candidate> candidates_in(const ActionKey& key, const RemoteList& list);
  std::shared_ptr<const inputs::PathSet> decode(const RemotePathSet& listed);
  void ask_for_results(std::vector<Candidate>& candidates);
  void take_result(Candidate& candidate, RemoteResult found);
  void ask_for_blobs(std::vector<Candidate>& candidates);
  bool store(const Candidate& candidate);
  Status put(const Candidate& candidate);

  const Tools& tools_;
  const inputs::RunContext& from_;
  store::Lease& lease_;
  inputs::Effort* const effort_;  // may be null
};

}  // namespace hipcache::cache

#endif
