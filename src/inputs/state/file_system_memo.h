// What FileSystemState remembers between calls: digests by stamp, names and orders, and the clock that decides how far
// a stamp is trusted.
//
// Thread-safe, bounded. Digests are kept by stamp, not by name. So a file that was moved, or
// is reached by another path, is not read again.
#ifndef HIPCACHE_SRC_INPUTS_STATE_FILE_SYSTEM_MEMO_H
#define HIPCACHE_SRC_INPUTS_STATE_FILE_SYSTEM_MEMO_H

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "hipcache/inputs/file_clock.h"
#include "inputs/loader/loader_cache.h"
#include "inputs/rules/text_marks.h"
#include "inputs/state/mounts.h"
#include "inputs/state/path_table.h"
#include "inputs/state/stamp.h"
#include "inputs/tokens/pasting.h"
#include "inputs/tokens/source_text.h"

namespace hipcache::inputs {

// A bounded map for values that can always be computed again.
//
// The map has a young and an old half. When the young half is full, the old half is dropped and the young half becomes
// the old one. A look-up moves its entry to the young half, so roughly the last used entries stay. The cost is one hash
// look-up; there is no list to keep.
//
// AgingMap is not thread-safe. ShardedMap is: it spreads keys over shards by their hash, each with its own mutex.

template <typename Key, typename Value, typename Hash>
class AgingMap {
 public:
  // Holds at most `limit` entries. REQUIRES: limit >= 2
  explicit AgingMap(std::size_t limit) : half_(limit / 2) {}

  std::optional<Value> find(const Key& key) {
    if (auto at = young_.find(key); at != young_.end()) return at->second;
    auto at = old_.find(key);
    if (at == old_.end()) return std::nullopt;
    Value value = std::move(at->second);
    old_.erase(at);
    insert(key, value);
    return value;
  }

  void insert(const Key& key, Value value) {
    if (young_.size() >= half_) {
      old_ = std::move(young_);
      young_.clear();
    }
    young_.insert_or_assign(key, std::move(value));
  }

  std::size_t size() const { return young_.size() + old_.size(); }

  // Calls take(key, value) for each entry, the old half first. A key may come twice; then its last value counts.
  template <typename Take>
  void for_each(const Take& take) const {
    for (const auto& [key, value] : old_) take(key, value);
    for (const auto& [key, value] : young_) take(key, value);
  }

 private:
  std::size_t half_;
  std::unordered_map<Key, Value, Hash> young_;
  std::unordered_map<Key, Value, Hash> old_;
};

template <typename Key, typename Value, typename Hash, std::size_t kShards = 16>
class ShardedMap {
 public:
  explicit ShardedMap(std::size_t limit) : shards_(make(limit / kShards, std::make_index_sequence<kShards>())) {}

  std::optional<Value> find(const Key& key) {
    Shard& shard = shard_of(key);
    std::lock_guard lock(shard.mutex);
    return shard.map.find(key);
  }

  void insert(const Key& key, Value value) {
    Shard& shard = shard_of(key);
    std::lock_guard lock(shard.mutex);
    shard.map.insert(key, std::move(value));
  }

  // As AgingMap::for_each, shard by shard. `take` must not use the map.
  template <typename Take>
  void for_each(const Take& take) {
    for (Shard& shard : shards_) {
      std::lock_guard lock(shard.mutex);
      shard.map.for_each(take);
    }
  }

 private:
  struct Shard {
    explicit Shard(std::size_t limit) : map(limit) {}
    std::mutex mutex;
    AgingMap<Key, Value, Hash> map;
  };

  template <std::size_t... I>
  static std::array<Shard, kShards> make(std::size_t limit, std::index_sequence<I...>) {
    return {((void)I, Shard(limit))...};
  }

  Shard& shard_of(const Key& key) { return shards_[(Hash()(key) >> 24) % kShards]; }

  std::array<Shard, kShards> shards_;
};

// Which large files are being read now, by stamp. All first requests of a build ask for the compiler's digest at once;
// one reads it, and the others wait for that.
//
// Thread-safe.
class FilesBeingRead {
 public:
  // Makes the caller the reader, until the object is destroyed; or, if another thread reads the file, waits for its end
  // or for kLongestWait. Then the caller is no reader, and looks for the digest first.
  class Turn {
   public:
    Turn(FilesBeingRead& files, const Stamp& stamp) : files_(files), stamp_(stamp) {
      std::unique_lock lock(files_.mutex_);
      reads_ = files_.stamps_.insert(stamp_).second;
      if (!reads_) files_.ended_.wait_for(lock, kLongestWait, [&] { return !files_.stamps_.contains(stamp_); });
    }
    ~Turn() {
      if (!reads_) return;
      {
        const std::lock_guard lock(files_.mutex_);
        files_.stamps_.erase(stamp_);
      }
      files_.ended_.notify_all();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    FilesBeingRead& files_;
    const Stamp stamp_;
    bool reads_ = false;
  };

  bool has(const Stamp& stamp) {
    const std::lock_guard lock(mutex_);
    return stamps_.contains(stamp);
  }

  // Two threads read a smaller file in less time than one waits.
  static constexpr std::uint64_t kWorthWaiting = 1u << 20;
  static constexpr std::chrono::seconds kLongestWait{30};  // a network's file system may hang

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  std::unordered_set<Stamp, StampHash> stamps_;
};

// Limits of what is remembered. Past a limit the older half (files, directories) or everything
// (names) is dropped and later read again.
inline constexpr std::size_t kMaxFiles = 200'000;
inline constexpr std::size_t kMaxDirectories = 20'000;
inline constexpr std::size_t kMaxNames = 100'000;
inline constexpr std::size_t kMaxSources = 5'000;
inline constexpr std::size_t kMaxSketches = 1'000;     // by the beginnings of their three digests
inline constexpr std::size_t kLongestSketch = 20'000;  // tokens
inline constexpr std::size_t kMaxPastings = 8;         // about a megabyte each

struct ListingDigests {
  Digest all;   // of all names
  Digest rocm;  // of those that clang's driver takes (rules/path_class.h)
  Digest bitcode;
};

struct FileSystemMemo {
  FileSystemMemo(Clock now, MountIds mount_ids) : clock(std::move(now)), mounts(mount_ids) {}

  Clock clock;
  Mounts mounts;
  ShardedMap<Stamp, Digest, StampHash> files{kMaxFiles};
  std::atomic<std::uint64_t> learned{0};  // number of files
  FilesBeingRead being_read;
  ShardedMap<Stamp, ListingDigests, StampHash> directories{kMaxDirectories};
  PathTable names{kMaxNames};
  ShardedMap<Digest, TextMarks, std::hash<Digest>> texts{kMaxFiles};  // by content and roots (mentions/mentions.cpp)
  ShardedMap<Digest, TokenDigests, std::hash<Digest>> tokens{kMaxFiles};  // by content (tokens/known_sources.h)
  ShardedMap<Digest, std::shared_ptr<const SourceNames>, std::hash<Digest>> names_in_sources{kMaxSources};
  // By content and the names of macros that paste (tokens/pasting.h).
  ShardedMap<Digest, std::shared_ptr<const PasteFacts>, std::hash<Digest>> paste_facts{kMaxSources};
  // By what it is made of (tokens/reach.h).
  ShardedMap<Digest, std::shared_ptr<const Pasting>, std::hash<Digest>, 1> pasting{kMaxPastings};
  ShardedMap<std::uint64_t, std::shared_ptr<const Sketch>, std::hash<std::uint64_t>> sketches{3 * kMaxSketches};
  CurrentLoaderCache loader_cache;
};

}  // namespace hipcache::inputs

#endif
