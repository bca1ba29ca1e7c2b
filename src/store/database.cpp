#include "store/database.h"

#include <rocksdb/listener.h>
#include <rocksdb/write_batch.h>

#include <exception>
#include <mutex>
#include <utility>

#include "store/rocks_options.h"

namespace hipcache::store {
namespace {

rocksdb::Slice slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
std::string_view view(const rocksdb::Slice& bytes) { return {bytes.data(), bytes.size()}; }

Status to_status(const rocksdb::Status& status) {
  if (status.ok()) return done();
  return Error{"store: " + status.ToString()};
}

// Whether the files are at fault. A file that is not there any more is damage as much as one with other bytes in it.
bool is_damage(const rocksdb::Status& status) { return status.IsCorruption() || status.IsPathNotFound(); }

// RocksDB throws nothing of its own, but what it calls may (a length read from a damaged file makes a string too long).
template <typename Call>
rocksdb::Status guarded(Call call) {
  try {
    return call();
  } catch (const std::exception& error) {
    return rocksdb::Status::Corruption(error.what());
  }
}

class ErrorListener : public rocksdb::EventListener {
 public:
  explicit ErrorListener(std::function<void(const std::string&)> on_damage) : on_damage_(std::move(on_damage)) {}

  void OnBackgroundError(rocksdb::BackgroundErrorReason, rocksdb::Status* status) override {
    if (is_damage(*status)) on_damage_(status->ToString());
  }

  // RocksDB would look for room on a full disk every few seconds, and meanwhile refuse to be told that there is some.
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason, rocksdb::Status, bool* automatic) override {
    *automatic = false;
  }

 private:
  std::function<void(const std::string&)> on_damage_;
};

}  // namespace

struct Database::Impl {
  std::unique_ptr<rocksdb::DB> db;
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  rocksdb::WriteOptions write_options;
  std::mutex resuming;

  ~Impl() {
    for (auto* family : families) db->DestroyColumnFamilyHandle(family);
    if (db) db->Close();
  }

  rocksdb::ColumnFamilyHandle* family(Table table) const { return families[static_cast<std::size_t>(table)]; }

  // RocksDB refuses all writes after a failed one until it is told to go on; that is cheap to try and safe to fail.
  bool resume() {
    const std::unique_lock<std::mutex> lock(resuming, std::try_to_lock);
    return lock.owns_lock() && guarded([&] { return db->Resume(); }).ok();
  }
};

Database::Database(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Database::~Database() = default;

OpenAttempt Database::open(const std::string& directory, Recovery recovery, bool sync,
                           std::function<void(const std::string&)> on_damage) {
  auto impl = std::make_unique<Impl>();
  impl->write_options.sync = sync;
  rocksdb::DBOptions options = database_options(recovery);
  options.listeners.push_back(std::make_shared<ErrorListener>(std::move(on_damage)));
  rocksdb::DB* db = nullptr;
  const rocksdb::Status status =
      guarded([&] { return rocksdb::DB::Open(options, directory, column_families(), &impl->families, &db); });
  impl->db.reset(db);
  OpenAttempt attempt;
  if (!status.ok()) {
    // Families that we do not know come as InvalidArgument: a database of another make, of no use to us either.
    attempt.damaged = is_damage(status) || status.IsInvalidArgument() || status.IsNotFound() || status.IsNotSupported();
    attempt.problem = status.ToString();
    return attempt;
  }
  attempt.database.reset(new Database(std::move(impl)));
  return attempt;
}

Result<Read> Database::get(Table table, std::string_view key) {
  Read read;
  const rocksdb::Status status =
      guarded([&] { return impl_->db->Get({}, impl_->family(table), slice(key), &read.value); });
  if (status.ok()) {
    read.found = Found::yes;
  } else if (is_damage(status)) {
    read.found = Found::damaged;
    read.value.clear();
    read.problem = status.ToString();
  } else if (!status.IsNotFound()) {
    return Error{"store: " + status.ToString()};
  }
  return read;
}

Status Database::write(const std::vector<Change>& changes) {
  const auto attempt = [&] {
    return guarded([&] {
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
  if (!status.ok() && !is_damage(status) && impl_->resume()) status = attempt();
  return to_status(status);
}

Status Database::scan(Table table, const std::function<bool(std::string_view, std::string_view)>& visit) {
  return to_status(guarded([&] {
    rocksdb::ReadOptions options;
    options.fill_cache = false;
    const std::unique_ptr<rocksdb::Iterator> it(impl_->db->NewIterator(options, impl_->family(table)));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      if (!visit(view(it->key()), view(it->value()))) break;
    }
    return it->status();
  }));
}

Status Database::flush() {
  return to_status(guarded([&] { return impl_->db->Flush(rocksdb::FlushOptions(), impl_->families); }));
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
        guarded([&] { return impl_->db->CompactRange(options, impl_->family(table), nullptr, nullptr); });
    if (!status.ok()) return to_status(status);
  }
  // Enabling deletions that nobody had disabled makes RocksDB delete obsolete files now, in this thread.
  return to_status(guarded([&] { return impl_->db->EnableFileDeletions(/*force=*/false); }));
}

std::uint64_t Database::garbage_bytes() {
  std::uint64_t sum = 0;
  for (const Table table : {Table::actions, Table::blobs}) {
    std::uint64_t bytes = 0;
    if (impl_->db->GetIntProperty(impl_->family(table), rocksdb::DB::Properties::kLiveBlobFileGarbageSize, &bytes)) {
      sum += bytes;
    }
  }
  return sum;
}

}  // namespace hipcache::store
