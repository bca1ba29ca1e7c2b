// RocksDB behind the few operations that the store needs: get, write, scan, flush, compact.
//
// Why a layer: eviction, recency and framing can be written, read and tested without RocksDB's types, and one file
// interprets its statuses. Damage is not an error but an answer (`Found::damaged`): for a cache it is a miss with a
// reason.
//
// Files count as damaged only if RocksDB found wrong bytes in them, or did not find them. A machine that lacks
// descriptors, threads, memory or room does not make a file damaged.
//
// Thread-safe. Throws nothing.
#ifndef HIPCACHE_SRC_STORE_LOCAL_DATABASE_DATABASE_H
#define HIPCACHE_SRC_STORE_LOCAL_DATABASE_DATABASE_H

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
#include "store/local/database/rocks_options.h"

namespace hipcache::store {

// One change of a write; no value means removal. The views must live until write() returns.
struct Change {
  Table table;
  std::string_view key;
  std::optional<std::string_view> value;
};

enum class Found { no, yes, damaged };

struct Read {
  Found found = Found::no;
  std::string value;    // if found
  std::string problem;  // if damaged: RocksDB's message, with the file's name
};

// A value in the database's own memory, for values that are too large to copy. Must be released soon.
struct Pinned {
  std::shared_ptr<const void> keeps;
  std::string_view bytes;
};

struct PinnedRead {
  Found found = Found::no;
  Pinned value;
  std::string problem;
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
  ~Database();

  Result<Read> get(Table table, std::string_view key);
  Result<PinnedRead> get_pinned(Table table, std::string_view key);

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
