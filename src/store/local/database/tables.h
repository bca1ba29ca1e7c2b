// The tables of the database, and how much damage of its files is tolerated.
#ifndef HIPCACHE_SRC_STORE_LOCAL_DATABASE_TABLES_H
#define HIPCACHE_SRC_STORE_LOCAL_DATABASE_TABLES_H

namespace hipcache::store {

// The tables, in the order of their column families. Meta is RocksDB's default family.
enum class Table { meta, actions, blobs, uses, notes };
inline constexpr int kTableCount = 5;

// How much damage of the write-ahead log is tolerated. A torn last record is not damage: a crash leaves one.
enum class Recovery { strict, skip_damaged_log };

}  // namespace hipcache::store

#endif
