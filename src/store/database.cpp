#include "store/database.h"

#include <rocksdb/listener.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "hipcache/base/files.h"
#include "store/rocks_options.h"

namespace hipcache::store {
namespace {

constexpr std::size_t kSmallestPinned = 64 << 10;  // in a blob file by far (rocks_options.cpp)

rocksdb::Slice slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
std::string_view view(const rocksdb::Slice& bytes) { return {bytes.data(), bytes.size()}; }

Status to_status(const rocksdb::Status& status) {
  if (status.ok()) return done();
  return Error{"store: " + status.ToString()};
}

// Whether the files are at fault. A file that is not there any more is damage as much as one with other bytes in it.
bool is_damage(const rocksdb::Status& status) { return status.IsCorruption() || status.IsPathNotFound(); }

// What the status of a get says; an error if it says nothing about the value.
Status tell(const rocksdb::Status& status, Found& found, std::string& problem) {
  if (status.ok()) {
    found = Found::yes;
  } else if (is_damage(status)) {
    found = Found::damaged;
    problem = status.ToString();
  } else if (!status.IsNotFound()) {
    return Error{"store: " + status.ToString()};
  }
  return done();
}

// RocksDB throws nothing of its own, but what it calls may (a length read from a damaged file makes a string too long).
template <typename Call>
rocksdb::Status guarded(Call call) {
  try {
    return call();
  } catch (const std::exception& error) {
    return rocksdb::Status::Corruption(error.what());
  }
}

// RocksDB keeps its options as they were at the last two openings, 24 kB each, and nobody reads them.
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

// Open or, after a failed attempt to open it again, closed; `opened` guards which.
struct Database::Impl {
  std::string directory;
  rocksdb::DBOptions options;
  rocksdb::WriteOptions write_options;
  std::shared_mutex opened;
  std::unique_ptr<rocksdb::DB> db;
  std::vector<rocksdb::ColumnFamilyHandle*> families;

  ~Impl() { close(); }

  rocksdb::Status open() {
    rocksdb::DB* raw = nullptr;
    auto status = guarded([&] { return rocksdb::DB::Open(options, directory, column_families(), &families, &raw); });
    db.reset(raw);
    if (status.ok()) remove_older_options(directory);
    return status;
  }

  void close() {
    if (!db) return;
    for (auto* family : families) db->DestroyColumnFamilyHandle(family);
    families.clear();
    // What Close reports was reported by the writes before, and the next open finds out what is on disk.
    [[maybe_unused]] const auto status = db->Close();
    db.reset();
  }

  rocksdb::ColumnFamilyHandle* family(Table table) const { return families[static_cast<std::size_t>(table)]; }

  // The call, as long as the database is open meanwhile.
  template <typename Call>
  rocksdb::Status run(Call call) {
    const std::shared_lock lock(opened);
    if (!db) return rocksdb::Status::Aborted("the database could not be opened again after a failed write");
    return guarded(call);
  }

  // RocksDB refuses all writes after a failed one. Where the disk was full it can be told to go on; after any other
  // trouble, a quota for one, only opening it again helps. That is not tried while it would fail: a database that takes
  // no writes still answers.
  bool recover() {
    if (run([&] { return db->Resume(); }).ok()) return true;
    const std::scoped_lock lock(opened);
    if (db && db->Resume().ok()) return true;  // another thread has been here
    if (db && !has_room()) return false;
    close();
    return open().ok();
  }

  // Whether files can be written beside the database.
  bool has_room() const {
    constexpr std::size_t kProbe = std::size_t{256} << 10;
    const std::string probe = directory + ".probe";
    const bool room = replace_file(probe, std::string(kProbe, 'x')).ok();
    return remove_tree(probe).ok() && room;
  }
};

Database::Database(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Database::~Database() = default;

OpenAttempt Database::open(const std::string& directory, Recovery recovery, bool sync,
                           std::function<void(const std::string&)> on_damage) {
  auto impl = std::make_unique<Impl>();
  impl->directory = directory;
  impl->write_options.sync = sync;
  impl->options = database_options(recovery);
  impl->options.listeners.push_back(std::make_shared<ErrorListener>(std::move(on_damage)));
  const rocksdb::Status status = impl->open();
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
      impl_->run([&] { return impl_->db->Get({}, impl_->family(table), slice(key), &read.value); });
  const Status known = tell(status, read.found, read.problem);
  if (!known) return known.error();
  if (read.found != Found::yes) read.value.clear();
  return read;
}

// What is smaller than a value of a blob file may be pinned in the block cache, which goes with the database.
Result<PinnedRead> Database::get_pinned(Table table, std::string_view key) {
  auto value = std::make_shared<rocksdb::PinnableSlice>();
  PinnedRead read;
  const rocksdb::Status status = impl_->run([&] {
    rocksdb::Status got = impl_->db->Get({}, impl_->family(table), slice(key), value.get());
    if (got.ok() && value->IsPinned() && value->size() < kSmallestPinned) {
      auto copy = std::make_shared<rocksdb::PinnableSlice>();
      copy->PinSelf(*value);
      value = std::move(copy);
    }
    return got;
  });
  const Status known = tell(status, read.found, read.problem);
  if (!known) return known.error();
  if (read.found == Found::yes) read.value = {value, view(*value)};
  return read;
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
  if (!status.ok() && !is_damage(status) && impl_->recover()) status = attempt();
  return to_status(status);
}

Status Database::scan(Table table, const std::function<bool(std::string_view, std::string_view)>& visit) {
  return to_status(impl_->run([&] {
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
  return to_status(impl_->run([&] { return impl_->db->Flush(rocksdb::FlushOptions(), impl_->families); }));
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
    if (!status.ok()) return to_status(status);
  }
  // Enabling deletions that nobody had disabled makes RocksDB delete obsolete files now, in this thread.
  return to_status(impl_->run([&] { return impl_->db->EnableFileDeletions(/*force=*/false); }));
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
