// The options of the database: bounded memory, blob files, checksums. The only private header with RocksDB types; only
// database.cpp and reader.cpp include it.
#ifndef HIPCACHE_SRC_STORE_LOCAL_DATABASE_ROCKS_OPTIONS_H
#define HIPCACHE_SRC_STORE_LOCAL_DATABASE_ROCKS_OPTIONS_H

#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include <vector>

#include "store/local/database/tables.h"

namespace hipcache::store {

rocksdb::DBOptions database_options(Recovery recovery);

// The same for a database that another process owns and that is only read.
rocksdb::DBOptions reader_options();

// One per table, in the order of Table.
std::vector<rocksdb::ColumnFamilyDescriptor> column_families();

}  // namespace hipcache::store

#endif
