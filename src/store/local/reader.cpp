#include "store/local/reader.h"

#include <rocksdb/db.h>
#include <sys/stat.h>

#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

#include "hipcache/base/files.h"
#include "store/local/blob_value.h"
#include "store/local/database/database.h"
#include "store/local/database/framing.h"
#include "store/local/database/rocks_options.h"
#include "store/local/database/versions.h"
#include "store/local/value_table.h"

namespace hipcache::store {
namespace {

constexpr unsigned kDeepest = 4;  // the same limit as in blobs.cpp

// Changes whenever the owner writes: the files' names, when one was last made or removed, and the length of the
// write-ahead logs. A new database in place of the old one may differ in the time alone.
struct Fingerprint {
  dev_t device = 0;
  ino_t inode = 0;
  std::int64_t changed_ns = 0;
  std::vector<std::string> names;
  off_t logged = 0;
  bool operator==(const Fingerprint&) const = default;
};

Result<Fingerprint> fingerprint_of(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return system_error("cannot look at", path);
  Fingerprint found{.device = status.st_dev,
                    .inode = status.st_ino,
                    .changed_ns = status.st_ctim.tv_sec * 1'000'000'000 + status.st_ctim.tv_nsec,
                    .names = {},
                    .logged = 0};
  Result<std::vector<std::string>> names = list_directory(path);
  if (!names) return names.error();
  found.names = std::move(*names);
  for (const std::string& name : found.names)
    if (name.ends_with(".log") && stat(join_path(path, name).c_str(), &status) == 0) found.logged += status.st_size;
  return found;
}

template <typename Call>
rocksdb::Status guarded(Call call) {
  try {
    return call();
  } catch (const std::exception& error) {
    return rocksdb::Status::Corruption(error.what());
  }
}

}  // namespace

struct Reader::Impl {
  std::string path;
  Fingerprint opened;
  std::unique_ptr<rocksdb::DB> db;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;

  ~Impl() {
    if (!db) return;
    for (auto* family : handles) db->DestroyColumnFamilyHandle(family);
  }

  Status open() {
    Result<Fingerprint> before = fingerprint_of(path);
    if (!before) return before.error();
    opened = std::move(*before);
    rocksdb::DB* raw = nullptr;
    const rocksdb::Status status = guarded(
        [&] { return rocksdb::DB::OpenForReadOnly(reader_options(), path, column_families(), &handles, &raw); });
    db.reset(raw);
    if (!status.ok()) return Error{"store: cannot read " + path + ": " + status.ToString()};
    const std::optional<std::string> format = get(Table::meta, kFormatKey);
    if (format && *format == kFormat) return done();
    return Error{"store: cannot read " + path + ": its format is '" + format.value_or("") + "', this program's is '" +
                 std::string(kFormat) + "'"};
  }

  std::optional<std::string> get(Table table, std::string_view key) {
    std::string value;
    const rocksdb::Status status = guarded([&] {
      return db->Get({}, handles[static_cast<std::size_t>(table)], rocksdb::Slice(key.data(), key.size()), &value);
    });
    if (!status.ok()) return std::nullopt;
    return value;
  }
};

Reader::Reader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Reader::~Reader() = default;

Result<std::unique_ptr<Reader>> Reader::open(const std::string& directory) {
  auto impl = std::make_unique<Impl>();
  impl->path = join_path(join_path(directory, version_directory()), kDatabase);
  if (Status opened = impl->open(); !opened) return opened.error();
  return std::unique_ptr<Reader>(new Reader(std::move(impl)));
}

Result<std::optional<std::string>> Reader::action(const Digest& key) {
  std::optional<std::string> frame = impl_->get(Table::actions, key.bytes());
  return frame ? unframe_action(key, std::move(*frame)) : std::nullopt;
}

Result<std::vector<PathSetReference>> Reader::path_sets(const Digest& key) {
  const Result<std::optional<std::string>> bytes = action(key);
  Result<PathSetList> list = bytes && *bytes ? PathSetList::decode(**bytes) : Result<PathSetList>(PathSetList());
  return list ? std::move(*list).sets() : std::vector<PathSetReference>();
}

Result<std::vector<Digest>> Reader::missing_blobs(std::span<const Digest> digests) {
  std::vector<Digest> missing;
  for (const Digest& digest : digests)
    if (!impl_->get(Table::uses, encode_use_key({Table::blobs, digest}))) missing.push_back(digest);
  return missing;
}

std::optional<std::string> Reader::blob(const Digest& digest, unsigned depth) {
  if (depth > kDeepest) return std::nullopt;
  const std::optional<std::string> value = impl_->get(Table::blobs, digest.bytes());
  const std::optional<BlobValue> parsed = value ? parse_value(digest, *value) : std::nullopt;
  if (!parsed) return std::nullopt;
  std::string prefix;
  for (const Digest& base : parsed->bases) {
    const std::optional<std::string> bytes = blob(base, depth + 1);
    if (!bytes || prefix.size() + bytes->size() > kLongestPrefix) return std::nullopt;
    prefix += *bytes;
  }
  std::optional<std::string> bytes = unpack(*parsed, prefix);
  // Another one wrote these bytes, so a checksum does not suffice.
  if (bytes && digest_of(*bytes) == digest) return bytes;
  return std::nullopt;
}

bool Reader::is_current() const {
  const Result<Fingerprint> now = fingerprint_of(impl_->path);
  return now && *now == impl_->opened;
}

}  // namespace hipcache::store
