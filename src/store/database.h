// RocksDB behind the few operations that the store needs: get, write, scan, flush, compact. The only file that knows
// it.
//
// Why a layer: eviction, recency and framing can be written, read and tested without RocksDB's types, and one file
// interprets its statuses. Damage is not an error but an answer (`Found::damaged`): for a cache it is a miss with a
// reason.
//
// What RocksDB 7.8 does: blob files with their garbage collection, checksums of blocks, blobs and log records, atomic
// writes and flushes, compression of actions, recovery of a damaged log. What it has and is not used:
// - RepairDB forgets all blob files (facebook/rocksdb issues 13090 and 13884).
// - Secondary instances follow their owner, but keep a reference to a destroyed string, and crash if a value is in a
//   blob file. So another owner's database is opened for reading alone, and again when it has changed (layers.h).
// - TTL and FIFO go by the time of a write, and compaction filters by what a value says. Eviction goes by the last use,
//   which is written behind (recency.h).
// - DeleteFilesInRange frees files of neighbouring keys. Keys are digests, so each file has keys of all ages.
// - A limit of SstFileManager makes writes fail; it evicts nothing, and does not see other versions' stores.
// - Resuming by itself after an error looks for room every few seconds; here the next write does (Database::write).
// - Its checksums do not show a value under another one's key, or a blob that was unpacked with other bases
//   (framing.h, blob_value.h).
// - Its lock is that of one database. Other versions, a database that was set aside and other users' stores lie beside
//   it (versions.h, daemon/server/member_stores.h).
// - A merge operator does not know the value that it makes, whose length and checksum are written with it
//   (rocks_store.cpp).
//
// Files count as damaged only if RocksDB found wrong bytes in them, or did not find them. A machine that lacks
// descriptors, threads, memory or room does not make a file damaged.
//
// Thread-safe. Throws nothing.
#ifndef HIPCACHE_SRC_STORE_DATABASE_H
#define HIPCACHE_SRC_STORE_DATABASE_H

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

// In the order of their column families. Meta is RocksDB's default family.
enum class Table { meta, actions, blobs, uses, notes };

// How much damage of the write-ahead log is tolerated. A torn last record is not damage: a crash leaves one.
enum class Recovery { strict, skip_damaged_log };

// One change of a write; no value means removal. The views must live until write() returns.
struct Change {
  Table table;
  std::string_view key;
  std::optional<std::string_view> value;
};

enum class Found { no, yes, damaged };

// A value in the database's own memory. Must be released soon.
struct Pinned {
  std::shared_ptr<const void> keeps;
  std::string_view bytes;
};

struct Read {
  Found found = Found::no;
  Pinned value;         // if found
  std::string problem;  // if damaged: RocksDB's message, with the file's name
};

class Database;

struct OpenAttempt {
  std::unique_ptr<Database> database;  // null on failure
  bool damaged = false;                // whether the files are proved to be damaged; false if the machine failed
  std::string problem;
};

class Database {
 public:
  // Creates what is missing. RocksDB reaches its files only through the descriptor of `directory`. If the directory is
  // removed and another one takes its name, nothing in the new one is touched. `on_damage` is called, from any thread,
  // when RocksDB finds damaged files in the background; it accepts no writes from then on.
  static OpenAttempt open(OwnDirectory directory, Recovery recovery, bool sync,
                          std::function<void(const std::string&)> on_damage);
  // A database that another process owns, as it is now. Needs no lock and writes nothing, so a read-only mount is
  // enough. REQUIRES: only get() is called.
  static OpenAttempt open_read_only(const std::string& path);
  ~Database();

  Result<Read> get(Table table, std::string_view key);

  // Makes all changes or none. After a full disk or an exceeded quota, the next write that finds room succeeds again.
  Status write(const std::vector<Change>& changes);

  // Calls `visit` for each record of the table in key order until it returns false.
  Status scan(Table table, const std::function<bool(std::string_view key, std::string_view value)>& visit);

  // Whether the directory's path still leads to the directory that was opened.
  bool is_in_place() const;

  // The approximate number of records in the table.
  std::uint64_t estimated_records(Table table);

  // Writes what is in memory and in the write-ahead log to table and blob files.
  Status flush();

  // Rewrites the tables without removed values. Live blobs move out of the oldest `share` (0..1] of the blob files, so
  // that these can be deleted. Unneeded files are gone on return. Stops early, with an error, once `cancel` is true.
  Status compact(double share, std::atomic<bool>& cancel);

  // Bytes in blob files that no key refers to. Exact after compact().
  std::uint64_t garbage_bytes();

 private:
  struct Impl;
  explicit Database(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace hipcache::store

#endif
