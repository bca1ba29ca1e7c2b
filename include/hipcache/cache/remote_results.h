// Shared caches on servers, as a look-up sees them (docs/remote.md).
//
// Problem: a server is a round trip away, and holds results of other machines. So a look-up there
// is not a sequence of small questions to a store::ReadableStore, as it is for stores of this
// machine. Choice: an action key has a list there. Each of its path sets comes with its questions,
// and with short tags of the states for which the server has a result. The questions are answered
// on this machine's own files, and a result is asked for only where a tag matches. So a key that
// nobody has costs one round trip, and a hit two. What was found is put into our own store, and
// proved and served from there as any other hit.
//
// All calls take several keys, because independent questions are asked at once. Each returns in
// bounded time. Thread-safe.
#ifndef HIPCACHE_CACHE_REMOTE_RESULTS_H
#define HIPCACHE_CACHE_REMOTE_RESULTS_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/inputs/path_set.h"

namespace hipcache::cache {

// Which results count, if some do not: the settings trusted_keys and signing_key, as the cache needs them.
//
// Problem: a machine must sign only what it compiled, or took with a trusted signature. The result of a
// request is made of results of steps, so what came from elsewhere would be signed with it. Settings
// change, and the store stays: a daemon without a signing key takes results from seeds and from other
// stores of the machine, and the next daemon has the key.
// Choice: where our own store keeps a result says how it came there. A daemon that signs has a place of
// its own for each result, under H(signable; trusted keys, result key). It looks there alone. No daemon
// without the key writes there, so whatever a signing daemon finds was compiled or taken by a signing
// daemon. A daemon that does not sign writes under H(trusted; trusted keys, result key), and looks in both.
// Earlier versions of hipcache wrote there, whoever wrote: unknown, so never signed.
// Rejected: a mark in each result that says where it came from. Each result that is made of others would
// have to pass it on: those of requests, and those that rest on a stored plan or proof. One place that
// forgets it, and a signature lies. Rejected: also signing what this machine compiled while it had no key,
// because a build without the key is no trusted build.

struct Trust {
  Digest keys;         // digest of the trusted keys
  bool signs = false;  // whether what this daemon records is signed
  bool operator==(const Trust&) const = default;
};

struct ActionResult;

struct RemotePathSet {
  Digest id;
  std::string bytes;                // encoded; not checked
  std::vector<std::uint64_t> tags;  // of result keys: remote_tag()
};

// What the list says of a result key.
std::uint64_t remote_tag(const Digest& result_key);

struct RemoteList {
  std::vector<RemotePathSet> sets;  // newest first
  std::size_t asked = 0;            // how many servers have been asked; further ones may know more
};

struct RemoteResult {
  std::string tier;                                   // the server that had it: its URL, without secrets
  std::string action;                                 // encoded ActionResult; not checked
  std::vector<std::pair<Digest, std::string>> blobs;  // the small ones; not checked
};

struct RemoteBlobName {
  Digest digest;
  std::uint64_t size = 0;
};

// A result to be shared. Its blobs are in the store.
struct Publication {
  Digest key;
  Digest result_key;
  Digest set;                                       // what the key's list names it by
  std::shared_ptr<const inputs::PathSet> path_set;  // null: nothing is asked (miss_history.h)
  std::string action;
  std::vector<RemoteBlobName> blobs;

  // A miss history is none: people count results.
  bool is_result() const { return path_set != nullptr; }
  std::string questions() const { return path_set == nullptr ? "" : path_set->encode(); }
};

class RemoteResults {
 public:
  virtual ~RemoteResults() = default;

  struct ListName {
    Digest key;
    std::size_t skip = 0;  // servers that have been asked already
  };
  // In the order asked; null: no server has a list.
  virtual std::vector<std::shared_ptr<const RemoteList>> lists(std::span<const ListName> names) = 0;
  virtual std::vector<std::optional<RemoteResult>> results(std::span<const Digest> keys) = 0;
  virtual std::vector<std::optional<std::string>> blobs(std::span<const RemoteBlobName> names) = 0;

  // Returns at once. The result is written behind the build's back.
  virtual void publish(Publication publication) = 0;
};

}  // namespace hipcache::cache

#endif
