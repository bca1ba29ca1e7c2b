// Makes the store smaller: least recently used first, and so that the space returns to the file system.
//
// Removed values only become garbage in blob files; RocksDB frees a blob file once all of it is garbage, and moves live
// blobs out of the way in compactions. Moving costs reading and writing, and room on the disk while it lasts, so each
// round moves a larger share of the oldest files than the one before, and stops when the limit is kept: the blobs used
// least recently are mostly in the oldest files. Rejected: compacting everything at once, which rewrites (and needs
// twice) the whole store to free a tenth of it.
#ifndef HIPCACHE_STORE_EVICTION_H
#define HIPCACHE_STORE_EVICTION_H

#include <atomic>
#include <cstdint>
#include <mutex>

#include "hipcache/base/result.h"
#include "store/contents.h"

namespace hipcache::store {

// Thread-safe; one call works at a time, others wait for it.
class Eviction {
 public:
  explicit Eviction(Contents& contents) : contents_(contents) {}

  // Evicts until at most `max_bytes` are on disk, or nothing is left that is not held. Stops early once cancel() was
  // called.
  Status shrink_to(std::uint64_t max_bytes);

  // Evicts all that is not held, and removes a database set aside and the stores of older versions.
  Status clear();

  void cancel() { cancelled_ = true; }
  std::uint64_t evicted() const { return evicted_; }

 private:
  std::uint64_t database_bytes() const;
  std::uint64_t our_share(std::uint64_t max_bytes) const;
  Status evict(std::uint64_t bytes);
  Status remove(const Recency::Entry* entries, std::size_t count);
  std::uint64_t excess_value_bytes(std::uint64_t on_disk, std::uint64_t max_bytes) const;

  Contents& contents_;
  std::mutex working_;
  std::atomic<bool> cancelled_ = false;
  std::atomic<std::uint64_t> evicted_ = 0;
};

}  // namespace hipcache::store

#endif
