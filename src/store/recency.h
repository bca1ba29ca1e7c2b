// What is stored, how large it is and when it was last used: in memory, so that a hit costs no write and counts are
// exact.
//
// 24 bytes an entry in an open-addressed table: a million entries are some 50 MB. Rejected: a linked list in order of
// use (48 bytes more an entry, for an order that only eviction asks for, and that can scan for it), and a write to the
// database for each use. Uses are collected and written behind by the owner (take_touched); those lost in a crash only
// make their entries look older. It begins incomplete: until it has been told otherwise, an entry that it does not know
// may be there all the same (loading.h). Thread-safe.
#ifndef HIPCACHE_STORE_RECENCY_H
#define HIPCACHE_STORE_RECENCY_H

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "store/framing.h"
#include "store/holds.h"

namespace hipcache::store {

// Seconds since the epoch, or anything that does not run backwards in a test.
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

  // Adds entries as they were read from the database, less those that have come up or were erased since.
  void load_older(const std::vector<Entry>& entries);
  // Adds the entry as it was read, unless it is there by now, and marks a use. False if it was erased since; once all
  // is known it is nothing but touch().
  std::optional<Use> adopt(const UseKey& key, const Use& use);

  // All that was in the database is known from here on.
  void complete();
  bool is_complete() const { return complete_; }
  // Not for longer than the limit; whether it is.
  bool wait_until_complete(std::chrono::milliseconds limit) const;

  Use use_now(std::uint32_t size, bool has_bases = false) const;

  // Marks a use now. Nothing if there is no such entry.
  std::optional<Use> touch(const UseKey& key);
  bool contains(const UseKey& key) const;
  bool erase(const UseKey& key);
  Totals totals() const;

  // The entries used least recently, oldest first: as many as it takes to make `bytes`, but at most `limit`. None that
  // is held.
  std::vector<Entry> oldest(std::uint64_t bytes, std::size_t limit, const Holds& holds) const;

  // Erases those of the entries that are neither held nor used since they were picked, and returns them. In one step
  // with respect to touch() and contains(): what these have reported as there stays there if it was held before.
  std::vector<Entry> erase_unused(const Entry* entries, std::size_t count, const Holds& holds);

  // The entries touched since the last call, with their newest use.
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
