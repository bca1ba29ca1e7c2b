#include "store/database.h"

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdarg>
#include <exception>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <stdexcept>
#include <utility>

#include "hipcache/base/files.h"

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

constexpr std::size_t kSmallestPinned = 64 << 10;  // well above kSmallestBlob

rocksdb::Slice slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
std::string_view view(const rocksdb::Slice& bytes) { return {bytes.data(), bytes.size()}; }

// RocksDB itself throws nothing, but its callees may. A length from a damaged file can ask for too long a string
// (std::length_error). Other exceptions mean that the machine lacks memory or threads.
template <typename Call>
rocksdb::Status guarded(Call call) {
  try {
    return call();
  } catch (const std::logic_error& error) {
    return rocksdb::Status::Corruption(error.what());
  } catch (const std::bad_alloc&) {
    return rocksdb::Status::MemoryLimit("no memory");
  } catch (const std::exception& error) {
    return rocksdb::Status::Aborted(error.what());
  }
}

// RocksDB starts its threads when it first needs them. A thread that cannot start then throws in the middle of a write.
// Started before the database is opened, a missing thread makes only the opening fail.
rocksdb::Status start_threads() {
  return guarded([] {
    rocksdb::Env* env = rocksdb::Env::Default();
    for (const auto priority : {rocksdb::Env::HIGH, rocksdb::Env::LOW}) {
      env->IncBackgroundThreadsIfNeeded(1, priority);
      env->Schedule([](void*) {}, nullptr, priority);
    }
    return rocksdb::Status::OK();
  });
}

// RocksDB keeps the options of the last two openings, 24 kB each. Nobody reads them.
void remove_older_options(const std::string& directory) {
  Result<std::vector<std::string>> names = list_directory(directory);
  if (!names) return;
  std::erase_if(*names, [](const std::string& name) { return !name.starts_with("OPTIONS-"); });
  const auto newest =
      std::max_element(names->begin(), names->end(), [](const std::string& left, const std::string& right) {
        return std::pair(left.size(), left) < std::pair(right.size(), right);
      });
  for (auto name = names->begin(); name != names->end(); ++name) {
    if (name == newest) continue;
    [[maybe_unused]] const Status removed = remove_tree(join_path(directory, *name));  // the next opening tries again
  }
}

class ErrorListener : public rocksdb::EventListener {
 public:
  explicit ErrorListener(std::function<void(const rocksdb::Status&)> on_error) : on_error_(std::move(on_error)) {}

  void OnBackgroundError(rocksdb::BackgroundErrorReason, rocksdb::Status* status) override { on_error_(*status); }

  // On a full disk RocksDB would look for room only every few seconds, and refuse an earlier Resume().
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason, rocksdb::Status, bool* automatic) override {
    *automatic = false;
  }

 private:
  std::function<void(const rocksdb::Status&)> on_error_;
};

}  // namespace

// Open, or closed after a failed attempt to reopen; `opened` guards which.
struct Database::Impl {
  explicit Impl(OwnDirectory where) : directory(std::move(where)), path(directory->anchored()) {}
  explicit Impl(std::string of_another) : path(std::move(of_another)) {}

  const std::optional<OwnDirectory> directory;  // nothing: another process owns it
  const std::string path;
  rocksdb::DBOptions options;
  rocksdb::WriteOptions write_options;
  std::shared_mutex opened;
  std::unique_ptr<rocksdb::DB> db;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;

  ~Impl() { close(); }

  rocksdb::Status open() {
    if (auto started = start_threads(); !started.ok()) return started;
    rocksdb::DB* raw = nullptr;
    auto status = guarded([&] { return rocksdb::DB::Open(options, path, column_families(), &handles, &raw); });
    db.reset(raw);
    if (status.ok()) remove_older_options(path);
    return status;
  }

  rocksdb::Status open_read_only() {
    rocksdb::DB* raw = nullptr;
    auto status = guarded(
        [&] { return rocksdb::DB::OpenForReadOnly(reader_options(), path, column_families(), &handles, &raw); });
    db.reset(raw);
    return status;
  }

  // RocksDB reports a database with foreign tables as InvalidArgument, as it does many other errors.
  bool has_foreign_tables() const {
    std::vector<std::string> names;
    const auto listed = guarded([&] { return rocksdb::DB::ListColumnFamilies(options, path, &names); });
    const auto ours = column_families();
    const auto is_ours = [&](const std::string& name) {
      return std::any_of(ours.begin(), ours.end(), [&](const auto& family) { return family.name == name; });
    };
    return listed.ok() && !std::all_of(names.begin(), names.end(), is_ours);
  }

  // Damage is what RocksDB calls corruption (wrong bytes), or a missing file while the directory still exists. Any
  // other error says nothing about the files: too many open files, no memory, no room, a failed read.
  bool is_damage(const rocksdb::Status& status) const {
    if (!status.IsPathNotFound()) return status.IsCorruption();
    struct stat directory_status{};
    return stat(path.c_str(), &directory_status) == 0 && directory_status.st_nlink > 0;
  }

  ErrorCode code_of(const rocksdb::Status& status) const {
    if (is_damage(status)) return ErrorCode::damaged;
    if (status.IsNoSpace()) return ErrorCode::no_space;
    return status.IsMemoryLimit() ? ErrorCode::resources : ErrorCode::other;
  }

  std::string said(const rocksdb::Status& status) const {
    return directory ? directory->as_known(status.ToString()) : status.ToString();
  }

  Status told(const rocksdb::Status& status) const {
    if (status.ok()) return done();
    return Error{"store: " + said(status), code_of(status)};
  }

  void close() {
    if (!db) return;
    for (auto* family : handles) db->DestroyColumnFamilyHandle(family);
    handles.clear();
    // The writes before have reported what Close reports, and the next open finds out what is on disk.
    [[maybe_unused]] const auto status = db->Close();
    db.reset();
  }

  rocksdb::ColumnFamilyHandle* family(Table table) const { return handles[static_cast<std::size_t>(table)]; }

  // Makes the call if the database is open, and keeps it open meanwhile.
  template <typename Call>
  rocksdb::Status run(Call call) {
    const std::shared_lock lock(opened);
    if (!db) return rocksdb::Status::Aborted("the database could not be opened again after a failed write");
    return guarded(call);
  }

  // RocksDB refuses all writes after a failed one. After a full disk, Resume() is enough. After anything else, such as
  // an exceeded quota, only reopening helps. Reopening is not tried without room: a database that takes no writes still
  // answers.
  bool recover() {
    if (run([&] { return db->Resume(); }).ok()) return true;
    const std::scoped_lock lock(opened);
    if (db && db->Resume().ok()) return true;  // another thread has recovered it
    if (db && !has_room()) return false;
    close();
    return open().ok();
  }

  // Whether files can be written in the database's directory.
  bool has_room() const {
    constexpr std::size_t kProbe = std::size_t{256} << 10;
    const std::string probe = path + "/hipcache.probe";  // not a name of RocksDB's
    const bool room = replace_file(probe, std::string(kProbe, 'x')).ok();
    return remove_tree(probe).ok() && room;
  }
};

Database::Database(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Database::~Database() = default;

OpenAttempt Database::open(OwnDirectory directory, Recovery recovery, bool sync,
                           std::function<void(const std::string&)> on_damage) {
  auto impl = std::make_unique<Impl>(std::move(directory));
  impl->write_options.sync = sync;
  impl->options = database_options(recovery);
  const auto tell = [known = impl.get(), on_damage = std::move(on_damage)](const rocksdb::Status& status) {
    if (known->is_damage(status)) on_damage(known->said(status));
  };
  impl->options.listeners.push_back(std::make_shared<ErrorListener>(tell));
  const rocksdb::Status status = impl->open();
  OpenAttempt attempt;
  if (!status.ok()) {
    attempt.damaged = impl->is_damage(status) || (status.IsInvalidArgument() && impl->has_foreign_tables());
    attempt.problem = impl->said(status);
    return attempt;
  }
  attempt.database.reset(new Database(std::move(impl)));
  return attempt;
}

OpenAttempt Database::open_read_only(const std::string& path) {
  auto impl = std::make_unique<Impl>(path);
  const rocksdb::Status status = impl->open_read_only();
  OpenAttempt attempt;
  if (status.ok())
    attempt.database.reset(new Database(std::move(impl)));
  else
    attempt.problem = impl->said(status);
  return attempt;
}

bool Database::is_in_place() const { return impl_->directory && impl_->directory->is_in_place(); }

// Small values may be pinned in the block cache, which is destroyed with the database. So they are copied.
Result<Read> Database::get(Table table, std::string_view key) {
  auto value = std::make_shared<rocksdb::PinnableSlice>();
  const rocksdb::Status status = impl_->run([&] {
    rocksdb::Status got = impl_->db->Get({}, impl_->family(table), slice(key), value.get());
    if (got.ok() && value->IsPinned() && value->size() < kSmallestPinned) {
      auto copy = std::make_shared<rocksdb::PinnableSlice>();
      copy->PinSelf(*value);
      value = std::move(copy);
    }
    return got;
  });
  if (status.ok()) return Read{.found = Found::yes, .value = {value, view(*value)}, .problem = {}};
  if (impl_->is_damage(status)) return Read{.found = Found::damaged, .value = {}, .problem = impl_->said(status)};
  if (!status.IsNotFound()) return impl_->told(status).error();
  return Read{};
}

Status Database::write(const std::vector<Change>& changes) {
  const auto attempt = [&] {
    return impl_->run([&] {
      rocksdb::WriteBatch batch;
      rocksdb::Status status;
      for (const Change& change : changes) {
        auto* family = impl_->family(change.table);
        status = change.value ? batch.Put(family, slice(change.key), slice(*change.value))
                              : batch.Delete(family, slice(change.key));
        if (!status.ok()) return status;
      }
      return impl_->db->Write(impl_->write_options, &batch);
    });
  };
  rocksdb::Status status = attempt();
  if (!status.ok() && !impl_->is_damage(status) && impl_->recover()) status = attempt();
  return impl_->told(status);
}

Status Database::scan(Table table, const std::function<bool(std::string_view, std::string_view)>& visit) {
  return impl_->told(impl_->run([&] {
    rocksdb::ReadOptions options;
    options.fill_cache = false;
    const std::unique_ptr<rocksdb::Iterator> it(impl_->db->NewIterator(options, impl_->family(table)));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      if (!visit(view(it->key()), view(it->value()))) break;
    }
    return it->status();
  }));
}

std::uint64_t Database::estimated_records(Table table) {
  const std::shared_lock lock(impl_->opened);
  std::uint64_t number = 0;
  if (impl_->db) impl_->db->GetIntProperty(impl_->family(table), rocksdb::DB::Properties::kEstimateNumKeys, &number);
  return number;
}

Status Database::flush() {
  return impl_->told(impl_->run([&] { return impl_->db->Flush(rocksdb::FlushOptions(), impl_->handles); }));
}

Status Database::compact(double share, std::atomic<bool>& cancel) {
  rocksdb::CompactRangeOptions options;
  options.exclusive_manual_compaction = false;  // puts go on meanwhile, and their files must not pile up
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
  options.blob_garbage_collection_policy = rocksdb::BlobGarbageCollectionPolicy::kForce;
  options.blob_garbage_collection_age_cutoff = share;
  options.canceled = &cancel;
  for (const Table table : {Table::actions, Table::blobs, Table::uses}) {
    const rocksdb::Status status =
        impl_->run([&] { return impl_->db->CompactRange(options, impl_->family(table), nullptr, nullptr); });
    if (!status.ok()) return impl_->told(status);
  }
  // Deletions were not disabled; enabling them makes RocksDB delete obsolete files now, in this thread.
  return impl_->told(impl_->run([&] { return impl_->db->EnableFileDeletions(); }));
}

std::uint64_t Database::garbage_bytes() {
  const std::shared_lock lock(impl_->opened);
  std::uint64_t sum = 0;
  if (!impl_->db) return sum;
  for (const Table table : {Table::actions, Table::blobs}) {
    std::uint64_t bytes = 0;
    if (impl_->db->GetIntProperty(impl_->family(table), rocksdb::DB::Properties::kLiveBlobFileGarbageSize, &bytes)) {
      sum += bytes;
    }
  }
  return sum;
}

}  // namespace hipcache::store
