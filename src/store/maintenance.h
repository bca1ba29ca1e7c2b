// The store's own thread. It loads the uses if they are many, and writes new uses behind. It evicts when the limit is
// passed, and empties the write-ahead log after a quiet time. So no caller waits for any of this.
#ifndef HIPCACHE_SRC_STORE_MAINTENANCE_H
#define HIPCACHE_SRC_STORE_MAINTENANCE_H

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <thread>
#include <utility>

#include "hipcache/base/log.h"
#include "hipcache/base/own_directory.h"
#include "hipcache/base/result.h"
#include "hipcache/store/local_store.h"
#include "store/database.h"
#include "store/recency.h"

namespace hipcache::store {

// What the parts of an open store share.

struct Directories {
  std::shared_ptr<const OwnDirectory> root;  // holds the stores of all versions
  std::shared_ptr<const OwnDirectory> ours;  // holds this version's store
};

struct StoreState {
  StoreState(Directories where, Log& to, std::unique_ptr<Database> opened, Clock clock)
      : directories(std::move(where)), log(to), database(std::move(opened)), recency(std::move(clock)) {}

  Directories directories;
  Log& log;
  std::unique_ptr<Database> database;
  Recency recency;
  std::shared_ptr<Pins> pins = std::make_shared<Pins>();

  // Keeps `recency` and the database consistent. Shared: adding (first the database, then recency). Exclusive:
  // removing, and writing uses behind. Reading needs no lock: an entry that recency has and the database lacks is a
  // miss.
  std::shared_mutex gate;
};

// Writes the uses since the last call to the database. If the write fails they are lost, which is harmless: uses are
// hints.
Status write_uses_behind(StoreState& state);

// Makes the store smaller, least recently used entries first, and returns the space to the file system.
//
// A removed value only becomes garbage in its blob file. RocksDB frees a blob file when all of it is garbage;
// compactions move live blobs out. Moving costs reads, writes and temporary disk space. The blobs used least recently
// are mostly in the oldest files. So each round moves a larger share of the oldest files than the one before, until the
// limit is kept. Rejected: compacting everything at once. It rewrites the whole store, and needs its space twice, to
// free a tenth of it.

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

// Reads the use records of an opened store into its recency.
//
// The problem: reading a million records takes half a second, and whoever started the daemon waits. The choice: a few
// records are read before the store is open, because then all users of the recency are simpler. Many records are read
// by the store's own thread while it serves. Until that is done, the database is asked for entries that the recency
// lacks. Rejected: leaving the records in the database. That needs a write for each use, and a full read for totals.

inline constexpr std::uint64_t kFewUses = 20'000;

// An error if records cannot be read: ErrorCode::damaged if the database is at fault. The recency is complete
// afterwards, unless `cancel` became true.
Status load_uses(StoreState& state, const std::atomic<bool>& cancel);

// Takes an entry that an incomplete recency lacks from the database, and marks a use. nullopt if the database lacks it
// too. Takes no lock: an entry that is dropped between reading and adopting is not adopted.
std::optional<Use> adopt(StoreState& state, const UseKey& key);

// Thread-safe. The destructor stops running work, writes the uses behind, and joins the thread.
class Maintenance {
 public:
  Maintenance(StoreState& state, Eviction& eviction, std::uint64_t max_bytes);
  ~Maintenance();
  Maintenance(const Maintenance&) = delete;
  Maintenance& operator=(const Maintenance&) = delete;

  // Must be called after each write and each use.
  void wrote(std::uint64_t bytes);
  void used();

 private:
  using Clock = std::chrono::steady_clock;

  void run();
  void load();
  bool is_limit_due() const { return max_bytes_ != 0 && written_ > allowance_; }
  bool is_flush_due() const;
  void wait_for_work(std::unique_lock<std::mutex>& lock);
  void keep_limit();
  void say_if_failed(const Status& status);

  StoreState& state_;
  Eviction& eviction_;
  const std::uint64_t max_bytes_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<bool> stopping_ = false;
  bool uses_due_ = false;
  // Counted before compression, so an upper bound of what reaches the disk. When it passes the allowance, the disk is
  // measured and the allowance set anew.
  std::uint64_t written_ = 0;
  std::uint64_t allowance_ = 0;
  std::uint64_t logged_ = 0;  // bytes written since the last flush
  Clock::time_point last_write_;
  std::thread thread_;  // last: it uses the other members
};

}  // namespace hipcache::store

#endif
