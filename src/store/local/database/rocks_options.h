// The options of the database: bounded memory, blob files, checksums. The only private header with RocksDB types; only
// database.cpp and reader.cpp include it.
#ifndef HIPCACHE_SRC_STORE_LOCAL_DATABASE_ROCKS_OPTIONS_H
#define HIPCACHE_SRC_STORE_LOCAL_DATABASE_ROCKS_OPTIONS_H

#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include <vector>

namespace hipcache::store {

// The tables of the database, and how much damage of its files is tolerated.

// The tables, in the order of their column families. Meta is RocksDB's default family.
enum class Table { meta, actions, blobs, uses, notes };
inline constexpr int kTableCount = 5;

// How much damage of the write-ahead log is tolerated. A torn last record is not damage: a crash leaves one.
enum class Recovery { strict, skip_damaged_log };

rocksdb::DBOptions database_options(Recovery recovery);

// The same for a database that another process owns and that is only read.
rocksdb::DBOptions reader_options();

// One per table, in the order of Table.
std::vector<rocksdb::ColumnFamilyDescriptor> column_families();

}  // namespace hipcache::store

#endif
