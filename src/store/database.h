// RocksDB behind the few verbs that the store needs: get, write, scan, flush, compact.
//
// Why a layer: eviction, recency and framing are then written, read and tested without RocksDB's types, and one file
// knows what its statuses mean. Damage is no error here but an answer (`Found::damaged`): for a cache it is a miss with
// a reason. Thread-safe. No exception leaves.
//
// Files are damaged only where RocksDB found wrong bytes in them, or did not find them. A machine that is short of
// descriptors, threads, memory or room is no damage, however it shows.
#ifndef HIPCACHE_STORE_DATABASE_H
#define HIPCACHE_STORE_DATABASE_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/own_directory.h"
#include "hipcache/base/result.h"

namespace hipcache::store {

// The tables, in the order of their column families. Meta is RocksDB's default family.
enum class Table { meta, actions, blobs, uses, notes };
inline constexpr int kTableCount = 5;

// One change of a write; no value means: remove. The views must live until write() returns.
struct Change {
  Table table;
  std::string_view key;
  std::optional<std::string_view> value;
};

enum class Found { no, yes, damaged };

struct Read {
  Found found = Found::no;
  std::string value;    // if yes
  std::string problem;  // if damaged: what RocksDB said, file name included
};

// A value where the database has put it, for those that are too large to be copied once more. Not to be kept for long.
struct Pinned {
  std::shared_ptr<const void> keeps;
  std::string_view bytes;
};

struct PinnedRead {
  Found found = Found::no;
  Pinned value;
  std::string problem;
};

// How much of a damaged write-ahead log is put up with. Its torn last record is no damage: that is what a crash leaves.
enum class Recovery { strict, skip_damaged_log };

class Database;

struct OpenAttempt {
  std::unique_ptr<Database> database;  // null if it failed
  bool damaged = false;                // whether the files are proved to be at fault, not the machine
  std::string problem;
};

class Database {
 public:
  // Creates what is missing. RocksDB reaches its files through the descriptor of `directory` alone: should the
  // directory be removed, and another be made in its place, nothing in the new one is touched. `on_damage` is called,
  // from any thread, when RocksDB finds its files damaged while it works behind the scenes and accepts no writes from
  // then on.
  static OpenAttempt open(OwnDirectory directory, Recovery recovery, bool sync,
                          std::function<void(const std::string&)> on_damage);
  ~Database();

  Result<Read> get(Table table, std::string_view key);
  Result<PinnedRead> get_pinned(Table table, std::string_view key);

  // All of the changes or none. After a full disk, or a quota, the next write that finds room goes on as if nothing had
  // been.
  Status write(const std::vector<Change>& changes);

  // Calls `visit` for each record of the table in key order until it returns false.
  Status scan(Table table, const std::function<bool(std::string_view key, std::string_view value)>& visit);

  // Whether the path of the directory still leads to the one that was opened.
  bool is_in_place() const;

  // How many records the table has, roughly.
  std::uint64_t estimated_records(Table table);

  // Moves what is in memory and in the write-ahead log to table and blob files.
  Status flush();

  // Rewrites the tables without what was removed; blobs are moved out of the oldest `share` (0..1] of the blob files,
  // so that these can be deleted. Files that are no longer needed are gone when it returns. Stops early, with an error,
  // once `cancel` is true.
  Status compact(double share, std::atomic<bool>& cancel);

  // Bytes in blob files that nothing refers to. Exact after compact().
  std::uint64_t garbage_bytes();

 private:
  struct Impl;
  explicit Database(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace hipcache::store

#endif
