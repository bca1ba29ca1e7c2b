// The interface of a place where results are kept: our own store, another owner's store, or a
// server. Two tables, named as in Bazel's Remote Execution API (REAPI):
//
//   ActionCache                   key -> small value; the newest value replaces older ones
//   ContentAddressableStorage     digest -> bytes, stored once however many actions name them
//
//   action, put_action            GetActionResult, UpdateActionResult
//   missing_blobs, blob, put_blob FindMissingBlobs, BatchReadBlobs, BatchUpdateBlobs
//   path_sets, add_path_set       lists under a key that many writers add to; see below
//
// Problem: caches on one machine and on servers are to be asked in turn, by code that does not know
// which is which. So this interface has only what each of them can do. What only our own store can
// do (pinning, notes, eviction, compression hints) is in hipcache/store/local_store.h.
//
// Lists of path sets. An action key has a short list of path sets, newest first
// (hipcache/cache/action_cache.h). Several threads, processes or machines add to one list. A caller
// that reads a list, changes it and writes it back would lose what others added meanwhile. So
// add_path_set() names one path set, and the store merges it into the list. What it added stays in
// the list until kMaxPathSets newer ones have displaced it.
// - A store with one owner merges under a mutex (store/rocks_store.cpp).
// - A server that merges by itself (a sorted set) is given the one path set.
// - Over a server that only gets and puts values, the implementation must spread a list over slots
//   by the path set's id, or put with a condition, or read again what it has put. If a path set is
//   lost nevertheless, the next run of the action is a miss, and adds it again.
// Rejected: one key for each writer's list, because a look-up would have to know all writers.
//
// Round trips. A call is one question. Callers with several independent questions ask from several
// threads, and an implementation may join these into one request. An implementation bounds the
// time of a call itself. Rejected: futures, because the local store answers within microseconds.
//
// Digests are hipcache's own (hipcache/base/digest.h). A server may address blobs by another digest
// and their size. So it may know a blob only by an action or a path set that named it: ask for the
// action first, then for its blobs. When putting, put the blobs first, then the action that names
// them, then the path set.
//
// Thread-safe, all of it. Bytes are checked when read: what others wrote by its digest, what this
// process's own store wrote by a checksum (docs/internals/formats.md). Bytes that do not match are reported as
// missing. An error means that the store is in trouble; callers treat it as a miss.
#ifndef HIPCACHE_STORE_STORE_H
#define HIPCACHE_STORE_STORE_H

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/base/result.h"

namespace hipcache::store {

inline constexpr std::size_t kMaxPathSets = 8;

// A path set in the list of an action key.
struct PathSetReference {
  Digest id;    // of the set's questions
  Digest blob;  // of the set's encoded form, as stored
  bool operator==(const PathSetReference&) const = default;
};

// A store that is only read. The bytes have been checked.
class ReadableStore {
 public:
  virtual ~ReadableStore() = default;

  virtual Result<std::optional<std::string>> action(const Digest& key) = 0;

  // Newest first, each id once, at most kMaxPathSets. Empty if there is no list. An error also if
  // the list is damaged or of another version.
  virtual Result<std::vector<PathSetReference>> path_sets(const Digest& key) = 0;

  virtual Result<std::optional<std::string>> blob(const Digest& digest) = 0;

  // Those of the blobs that are not stored, in the order asked. Counts as a use of the others, so
  // that they are not evicted next; only a Lease keeps them for certain.
  virtual Result<std::vector<Digest>> missing_blobs(std::span<const Digest> digests) = 0;
};

class Store : public ReadableStore {
 public:
  // `blobs`: the blobs that the value names. A server that checks whether an action is complete, or
  // that keeps blobs as long as their actions, has to know them; our own store does not.
  // REQUIRES: they are stored.
  virtual Status put_action(const Digest& key, std::string_view value, std::span<const Digest> blobs = {}) = 0;

  // Puts the path set first in the key's list. If the list has another blob of the same id, the new
  // blob replaces it. A list that is damaged or of another version is begun anew. After an error,
  // the list is what it was.
  // REQUIRES: the path set's blob is stored.
  virtual Status add_path_set(const Digest& key, const PathSetReference& set) = 0;

  virtual Result<Digest> put_blob(std::string_view bytes) = 0;
};

}  // namespace hipcache::store

#endif
