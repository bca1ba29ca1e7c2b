// Where results live: two tables, after Bazel's Remote Execution API. Actions: key -> small value, the newest wins.
// Blobs: digest -> bytes, stored once however many actions name them.
//
// Thread-safe. Bytes are checked against their digest on the way out; what does not match is dropped, counted and
// reported as not there. An error means that the store is in trouble; callers treat it as a miss.
#ifndef HIPCACHE_STORE_STORE_H
#define HIPCACHE_STORE_STORE_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/base/files.h"
#include "hipcache/base/log.h"
#include "hipcache/base/own_directory.h"
#include "hipcache/base/result.h"

namespace hipcache::store {

struct Usage {
  std::uint64_t actions = 0;
  std::uint64_t blobs = 0;
  std::uint64_t bytes = 0;          // of the values as stored: compressed, without what they share
  std::uint64_t bytes_on_disk = 0;  // what the file system holds
  std::uint64_t corrupt = 0;        // values dropped because they did not match, since the store was opened
  std::uint64_t evicted = 0;        // values evicted since then
  std::uint64_t layers = 0;         // other stores that are read, too
  std::uint64_t taken_over = 0;     // actions that were found in those alone, since the store was opened
};

// What a blob has in common with others: it is then stored as the rest, and they are read when it is. A hint; blobs
// that are not there, or not alike, cost a look.
struct Likeness {
  std::vector<Digest> parts;  // blobs that it holds: those of a fatbin are its code objects
  std::string_view family{};  // of blobs that resemble each other, such as the depfiles; empty: of none
};

// Keeps blobs from being evicted while it lives (what a running request holds). A blob that is to be put is added
// before, one that is to be read is held (hold_blob). One thread at a time; may outlive the store.
class Lease {
 public:
  virtual ~Lease() = default;
  virtual void add(const Digest& blob) = 0;
};

class Store {
 public:
  virtual ~Store() = default;

  virtual Result<std::optional<std::string>> action(const Digest& key) = 0;
  virtual Status put_action(const Digest& key, std::string_view value) = 0;
  // The values that other stores have under the key (hipcache/store/layers.h), in no meaningful order. Blobs need no
  // such question: a blob is the same in every store, and blob(), blob_file() and hold_blob() find it in all of them.
  virtual std::vector<std::string> lower_actions(const Digest& /*key*/) { return {}; }
  // Puts one of those that was of use into our own store.
  virtual Status take_over_action(const Digest& key, std::string_view value) { return put_action(key, value); }

  virtual Result<std::optional<std::string>> blob(const Digest& digest) = 0;
  // The same in a sealed file of memory, for another process: what is large is then in memory once.
  virtual Result<std::optional<UniqueFd>> blob_file(const Digest& digest) = 0;
  // Whether the blob is there; it then stays as long as the lease lives, with all that it takes to read it.
  virtual Result<bool> hold_blob(const Digest& digest, Lease& lease) = 0;
  virtual Result<Digest> put_blob_like(std::string_view bytes, const Likeness& likeness) = 0;
  Result<Digest> put_blob(std::string_view bytes) { return put_blob_like(bytes, {}); }

  virtual std::unique_ptr<Lease> lease() = 0;

  // A small named value outside both tables, never evicted: the statistics.
  virtual Result<std::optional<std::string>> note(std::string_view name) = 0;
  virtual Status put_note(std::string_view name, std::string_view value) = 0;

  // Evicts what was used least recently until at most `max_bytes` are on disk, and gives the space back to the file
  // system.
  virtual Status shrink_to(std::uint64_t max_bytes) = 0;
  virtual Status clear() = 0;
  virtual Usage usage() = 0;

  // False once the path of the store leads elsewhere: its directory was removed, or replaced by another.
  virtual bool is_in_place() = 0;
};

struct StoreOptions {
  std::string directory;  // of the stores of all versions; created if missing. A path, or a name in `within`
  const OwnDirectory* within = nullptr;
  std::uint64_t max_bytes = 0;  // 0: no limit. Eviction runs behind the callers' back when passed, to 90 % of it
  bool sync = false;            // fsync every write: not needed for a cache, used by the damage tests
};

// Opens, or repairs and opens, or sets the damaged database aside (under a name with ".damaged-" and the time, at most
// one kept) and starts anew; each is said in the log. An error if the directory is not ours or cannot be used, if
// another process holds it, or if the machine lacks what it takes (descriptors, threads, memory): nothing is changed
// then.
Result<std::unique_ptr<Store>> open_store(const StoreOptions& options, Log& log);

}  // namespace hipcache::store

#endif
