// What is stored, how large it is and when it was last used. In memory, so a hit costs no write and the counts are
// exact.
//
// An open-addressed table with 40 bytes for each entry: a million entries take some 80 MB. Rejected: a linked list in
// order of use. It takes 48 bytes more for each entry, and only eviction needs the order, which can scan instead.
// Rejected: a write to the database for each use. The owner collects uses and writes them behind (take_touched). If a
// crash loses some, their entries only look older.
//
// Incomplete at first: until complete() is called, an entry that the table lacks may be in the database
// (maintenance.h). Thread-safe.
#ifndef HIPCACHE_SRC_STORE_RECENCY_H
#define HIPCACHE_SRC_STORE_RECENCY_H

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/store/local_store.h"
#include "store/framing.h"

namespace hipcache::store {

// Counts which blobs running requests hold. Two requests may hold the same blob.

// Thread-safe.
class Pins {
 public:
  void add(const Digest& blob);
  void release(const Digest& blob);
  bool pins(const Digest& blob) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<Digest, std::uint32_t> counts_;
};

// A lease on `pins`. It shares ownership of `pins`, so a lease may outlive its store.
std::unique_ptr<Lease> make_lease(std::shared_ptr<Pins> pins);

// Seconds since the epoch. In tests any clock that never runs backwards.
using Clock = std::function<std::uint32_t()>;

class Recency {
 public:
  struct Totals {
    std::uint64_t actions = 0;
    std::uint64_t blobs = 0;
    std::uint64_t bytes = 0;
  };
  struct Entry {
    UseKey key;
    Use use;
  };

  explicit Recency(Clock clock);
  ~Recency();

  // Adds or replaces an entry.
  void set(const UseKey& key, const Use& use);

  // Adds entries that were read from the database, except those that were added or erased since.
  void load_older(const std::vector<Entry>& entries);
  // Adds an entry that was read from the database, unless it was added or erased since, and marks a use. nullopt if it
  // was erased. Once complete, the same as touch().
  std::optional<Use> adopt(const UseKey& key, const Use& use);

  // Called once everything in the database is known.
  void complete();
  bool is_complete() const { return complete_; }
  // Waits at most `limit`. Returns whether the recency is complete.
  bool wait_until_complete(std::chrono::milliseconds limit) const;

  Use use_now(std::uint32_t size, bool has_bases = false) const;

  // Marks a use now. nullopt if there is no such entry.
  std::optional<Use> touch(const UseKey& key);
  // The last use, without marking one.
  std::optional<Use> find(const UseKey& key) const;
  // All entries of the table, in no order.
  std::vector<Entry> entries(Table table) const;
  bool erase(const UseKey& key);
  Totals totals() const;

  // The least recently used entries, oldest first: enough to make `bytes`, but at most `limit`. Leaves out held
  // entries.
  std::vector<Entry> oldest(std::uint64_t bytes, std::size_t limit, const Pins& pins) const;

  // Erases those of the entries that are neither held nor used since they were picked, and returns them. Atomic with
  // respect to touch() and find(): what these report as present stays, if it was held before.
  std::vector<Entry> erase_unused(const Entry* entries, std::size_t count, const Pins& pins);

  // The entries touched since the last call, with their last use.
  std::vector<Entry> take_touched();
  std::size_t touched() const;

 private:
  struct Tables;
  mutable std::mutex mutex_;
  mutable std::condition_variable completed_;
  std::atomic<bool> complete_ = false;
  Clock clock_;
  std::unique_ptr<Tables> tables_;
};

}  // namespace hipcache::store

#endif
