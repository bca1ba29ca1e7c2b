// Makes the store smaller, least recently used entries first, and returns the space to the file system.
//
// A removed value only becomes garbage in its blob file. RocksDB frees a blob file when all of it is garbage;
// compactions move live blobs out. Moving costs reads, writes and temporary disk space. The blobs used least recently
// are mostly in the oldest files. So each round moves a larger share of the oldest files than the one before, until the
// limit is kept. Rejected: compacting everything at once. It rewrites the whole store, and needs its space twice, to
// free a tenth of it.
#ifndef HIPCACHE_SRC_STORE_LOCAL_SPACE_EVICTION_H
#define HIPCACHE_SRC_STORE_LOCAL_SPACE_EVICTION_H

#include <atomic>
#include <cstdint>
#include <mutex>

#include "hipcache/base/result.h"
#include "hipcache/store/local_store.h"
#include "store/local/space/store_state.h"

namespace hipcache::store {

// Thread-safe. One call works at a time; others wait for it.
class Eviction {
 public:
  explicit Eviction(StoreState& state) : state_(state) {}

  // Evicts until at most `max_bytes` are on disk, or only held blobs are left. Stops early after cancel().
  Status shrink_to(std::uint64_t max_bytes);

  // Evicts everything that is not held. Removes databases that were set aside, and older versions' stores.
  Status clear();

  void cancel() { cancelled_ = true; }
  std::uint64_t evicted() const { return evicted_; }
  // Of these, what was evicted to keep a limit.
  Evicted for_limit() const { return {for_limit_values_, for_limit_bytes_}; }

 private:
  std::uint64_t database_bytes() const;
  std::uint64_t our_share(std::uint64_t max_bytes) const;
  Status evict(std::uint64_t bytes);
  Status evict_for_limit(std::uint64_t bytes);
  Status remove(const Recency::Entry* entries, std::size_t count);
  std::uint64_t excess_value_bytes(std::uint64_t on_disk, std::uint64_t max_bytes) const;

  StoreState& state_;
  std::mutex working_;
  std::atomic<bool> cancelled_ = false;
  std::atomic<std::uint64_t> evicted_ = 0;
  std::atomic<std::uint64_t> evicted_bytes_ = 0;  // as stored
  std::atomic<std::uint64_t> for_limit_values_ = 0, for_limit_bytes_ = 0;
};

}  // namespace hipcache::store

#endif
