// Our own store, on this machine's disk: what hipcache/store/store.h offers, and what only a store
// with one owner in one process can do.
//
// Actions are answered from our own store alone. Stores below it (hipcache/store/local_store.h) are
// asked by the caller: it knows whether an action was of use, and puts only those into our own
// store. Blobs need no such care, because a blob is the same in every store: blob(), blob_file()
// and hold_blobs() search all of them.
#ifndef HIPCACHE_STORE_LOCAL_STORE_H
#define HIPCACHE_STORE_LOCAL_STORE_H

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/base/files.h"
#include "hipcache/base/log.h"
#include "hipcache/base/own_directory.h"
#include "hipcache/base/result.h"
#include "hipcache/store/store.h"

namespace hipcache::store {

struct Usage {
  std::uint64_t actions = 0;
  std::uint64_t blobs = 0;
  std::uint64_t bytes = 0;          // of the values as stored: compressed, without shared parts
  std::uint64_t bytes_on_disk = 0;  // what the file system allocates
  // Values dropped because they did not match their digest, since the store was opened.
  std::uint64_t corrupt = 0;
  std::uint64_t evicted = 0;  // values evicted, since the store was opened
  std::uint64_t layers = 0;   // other stores that are also read
  // Actions that were found only in other stores, since the store was opened.
  std::uint64_t taken_over = 0;
};

// Values that had to go so that a size limit is kept, since the store was opened.
struct Evicted {
  std::uint64_t values = 0;
  std::uint64_t bytes = 0;  // as stored
};

// An action of our own store, without its value.
struct StoredAction {
  Digest key;
  std::uint32_t last_use = 0;  // seconds since the epoch
};

// What a blob shares with others: only the rest is stored, and reading it reads the others, too. A
// hint; blobs that are missing or not alike cost only a look-up.
struct Likeness {
  // Blobs that it contains: those of a fatbin are its code objects.
  std::vector<Digest> parts;
  // Of blobs that resemble each other, such as depfiles; empty: none.
  std::string_view family{};
  // A shared cache has it, and somebody waits for it: it is packed soon rather than well.
  bool is_copy = false;
};

// Pins blobs: they are not evicted while the lease lives. A running request holds one. A blob to be
// put is added before the put; a blob to be read is pinned by hold_blobs. One thread at a time; may
// outlive the store.
class Lease {
 public:
  virtual ~Lease() = default;
  virtual void add(const Digest& blob) = 0;
};

// Whether a value may take the place of `present`; nothing if the key has none. Called once, under a
// lock of the store: quick, and without calls of the store.
using MayReplace = std::function<bool(const std::optional<std::string>& present)>;

inline constexpr std::size_t kMostLayers = 16;

// A store of another owner.
struct Layer {
  std::string directory;
  // Whether another process may be writing to it. Then opening it fails now and then, and the log
  // does not warn.
  bool is_in_use = true;
};

// The stores to read now; the first kMostLayers count. Return only stores whose owner is trusted,
// because their contents are served. Called by one thread at a time.
using FindLayers = std::function<std::vector<Layer>()>;

class LocalStore : public Store {
 public:
  // Puts the value if `may` allows it. No other write of the key comes between the question and the
  // put. So a caller that has read a value, and writes what it made of it, replaces nothing that came
  // meanwhile. False if it is not put. A present value that is damaged counts as none.
  // Rejected: a lock that the caller holds between its read and its write, because some callers ask a
  // server in between.
  virtual Result<bool> put_action_if(const Digest& key, std::string_view value, const MayReplace& may) = 0;

  Result<Digest> put_blob(std::string_view bytes) final { return put_blob_like(bytes, {}); }
  virtual Result<Digest> put_blob_like(std::string_view bytes, const Likeness& likeness) = 0;

  // The blob as a sealed memory file for another process, so that large contents are in memory
  // once.
  virtual Result<std::optional<UniqueFd>> blob_file(const Digest& digest) = 0;

  virtual std::unique_ptr<Lease> lease() = 0;
  // Whether all the blobs are stored. If so, the lease pins them, with all blobs that are needed to
  // read them. If not, it may pin some of them.
  virtual Result<bool> hold_blobs(std::span<const Digest> digests, Lease& lease) = 0;
  Result<bool> hold_blob(const Digest& digest, Lease& lease) { return hold_blobs({&digest, 1}, lease); }

  // Reads other owners' stores as well from now on, so that users, containers and prepared caches
  // share results although a database has one owner. Once, before the first question.
  //
  // A blob that is found in another store is copied into our own before hold_blobs() promises it: its
  // owner may evict it at any time. Actions and lists of path sets are not merged here: the caller
  // reads those of lower() after its own, knows which of them was of use, and puts that one. So no
  // list has two processes as its writers.
  // Rejected: one database for all (RocksDB has one owner). Reading the layers in place (a lease
  // would have to reach into another process). A server for all users (it would have to outlive
  // containers, and everyone would have to trust it).
  //
  // A layer that is damaged, vanishes or cannot be opened is a miss and one line in the log. Layers
  // are looked for only after our own store has missed, and at most ten times a second. Without any
  // layer that costs one look at the clock.
  // Memory: some MB for each layer, plus what its owner has not flushed yet.
  virtual void read_too(const FindLayers& /*find*/) {}

  // The stores below this one, in no meaningful order. They stay readable while the caller holds
  // them.
  virtual std::vector<std::shared_ptr<ReadableStore>> lower() { return {}; }
  // Puts an action of a lower store that was of use into this one, as put_action_if() does.
  virtual Result<bool> take_over_action(const Digest& key, std::string_view value, const MayReplace& may) {
    return put_action_if(key, value, may);
  }

  // All actions, in no order, as they were at some moment of the call. A large store that was opened
  // just now knows all of them only after a while; an error if that takes longer than a minute.
  virtual Result<std::vector<StoredAction>> stored_actions() = 0;
  // This store's own values, without the stores below. Reading them is no use, so it leaves the
  // order of eviction as it is: for copies of the store. Lacks values of a store that was opened just
  // now, until stored_actions() has returned. Lives as long as this object.
  virtual ReadableStore& quiet() = 0;

  // A small named value outside both tables, never evicted: the statistics, for example.
  virtual Result<std::optional<std::string>> note(std::string_view name) = 0;
  virtual Status put_note(std::string_view name, std::string_view value) = 0;

  // Evicts the least recently used values until at most `max_bytes` are on disk, and returns the
  // space to the file system.
  virtual Status shrink_to(std::uint64_t max_bytes) = 0;
  virtual Status clear() = 0;
  virtual Usage usage() = 0;
  // Quick, unlike usage(), which measures.
  virtual Evicted evicted() const { return {}; }

  // False once the path of the store leads elsewhere: its directory was removed or replaced.
  virtual bool is_in_place() = 0;
};

struct StoreOptions {
  // The parent directory for stores of all versions; created if missing. A path, or a name in
  // `within`.
  std::string directory;
  const OwnDirectory* within = nullptr;
  // 0: no limit. If exceeded, a background eviction shrinks the store to 90 % of it.
  std::uint64_t max_bytes = 0;
  // fsync every write: not needed for a cache, used by the damage tests.
  bool sync = false;
};

// Opens the store. Repairs a damaged one; if that fails, quarantines it and starts with an empty
// one. The quarantined store gets a name with ".damaged-" and the time; at most one is kept. The
// log reports each case. Returns an error, and changes nothing, if the directory is not ours or
// cannot be used, or if another process holds it. The same if the machine lacks resources
// (descriptors, threads, memory).
Result<std::unique_ptr<LocalStore>> open_store(const StoreOptions& options, Log& log);

}  // namespace hipcache::store

#endif
