#include "store/local/database/rocks_options.h"

#include <rocksdb/cache.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <cstdarg>
#include <memory>

namespace hipcache::store {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

// The daemon must stay under 150 MB in total. RocksDB may hold about 16 + 32 MiB, and file handles.
constexpr std::size_t kBlockCache = 16 * kMiB;
constexpr int kBlockCacheShardBits = 2;  // a shard holds no block that is larger than the shard
constexpr std::size_t kAllWriteBuffers = 32 * kMiB;
constexpr std::size_t kWriteBuffer = 16 * kMiB;
constexpr std::uint64_t kWriteAheadLog = 64 * kMiB;

// Far below the usual soft limit of 1024 descriptors, because the daemon has clients, too.
constexpr int kOpenFiles = 256;

// Values from this size on go to blob files, so they are written once and compactions do not rewrite them.
constexpr std::uint64_t kSmallestBlob = 4096;
constexpr std::uint64_t kBlobFile = 64 * kMiB;

rocksdb::ColumnFamilyOptions table_options(const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::BlockBasedTableOptions blocks;
  blocks.block_cache = cache;
  blocks.cache_index_and_filter_blocks = true;
  // Partitioned: a table with a million keys has megabytes of filters, which every look-up would read and unpack.
  blocks.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  blocks.partition_filters = true;
  blocks.pin_top_level_index_and_filter = true;
  blocks.pin_l0_filter_and_index_blocks_in_cache = true;
  blocks.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10, false));
  blocks.format_version = 5;

  rocksdb::ColumnFamilyOptions options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(blocks));
  options.write_buffer_size = kWriteBuffer;
  options.max_write_buffer_number = 2;
  options.compression = rocksdb::kZSTD;
  return options;
}

rocksdb::ColumnFamilyOptions with_blob_files(rocksdb::ColumnFamilyOptions options,
                                             rocksdb::CompressionType compression) {
  options.enable_blob_files = true;
  options.min_blob_size = kSmallestBlob;
  options.blob_file_size = kBlobFile;
  options.compression = compression;
  options.blob_compression_type = compression;
  options.enable_blob_garbage_collection = true;
  return options;
}

// RocksDB's own log is not kept: its errors reach hipcache's log as statuses. Its file logger fails an assertion, which
// Debian's build enables, when it continues after a full disk. That ends the process.
class NoInfoLog : public rocksdb::Logger {
 public:
  NoInfoLog() : Logger(rocksdb::InfoLogLevel::FATAL_LEVEL) {}
  using Logger::Logv;
  void Logv(const char*, va_list) override {}
};

}  // namespace

rocksdb::DBOptions database_options(Recovery recovery) {
  rocksdb::DBOptions options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.paranoid_checks = true;
  // A value and its use record are in different families. Flushed together, they survive together or are lost together.
  options.atomic_flush = true;
  options.wal_recovery_mode = recovery == Recovery::strict ? rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords
                                                           : rocksdb::WALRecoveryMode::kSkipAnyCorruptedRecords;
  options.db_write_buffer_size = kAllWriteBuffers;
  options.max_total_wal_size = kWriteAheadLog;
  options.max_open_files = kOpenFiles;
  options.max_background_jobs = 2;
  options.max_bgerror_resume_count = 0;        // Database::write retries itself
  options.avoid_flush_during_recovery = true;  // so that it opens on a nearly full disk, too
  options.allow_fallocate = false;             // the size limit counts allocated blocks
  options.info_log = std::make_shared<NoInfoLog>();
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  return options;
}

rocksdb::DBOptions reader_options() {
  rocksdb::DBOptions options = database_options(Recovery::strict);
  options.create_if_missing = false;
  options.create_missing_column_families = false;
  // Keep all files open, so that a file can still be read after its owner deleted it.
  options.max_open_files = -1;
  return options;
}

std::vector<rocksdb::ColumnFamilyDescriptor> column_families() {
  const auto cache = rocksdb::NewLRUCache(kBlockCache, kBlockCacheShardBits);
  const auto plain = table_options(cache);
  const auto actions = with_blob_files(plain, rocksdb::kZSTD);
  const auto blobs = with_blob_files(plain, rocksdb::kNoCompression);  // blobs come compressed
  return {{rocksdb::kDefaultColumnFamilyName, plain},
          {"actions", actions},
          {"blobs", blobs},
          {"uses", plain},
          {"notes", plain}};
}

}  // namespace hipcache::store
