#include "store/rocks_store.h"

#include <array>
#include <atomic>
#include <chrono>
#include <limits>
#include <utility>

#include "store/disk_use.h"
#include "store/eviction.h"
#include "store/loading.h"
#include "store/maintenance.h"

namespace hipcache::store {
namespace {

constexpr std::size_t kStripes = 16;
constexpr std::chrono::seconds kTotalsLimit{5};  // then they are of what has been read so far
// RocksDB keeps lengths in 32 bits; so do use records. Less a frame.
constexpr std::uint64_t kLongestValue = std::numeric_limits<std::uint32_t>::max() - std::uint64_t{65536};

class RocksStore : public Store {
 public:
  RocksStore(std::unique_ptr<Contents> contents, UniqueFd lock, std::uint64_t max_bytes)
      : lock_(std::move(lock)),
        contents_(std::move(contents)),
        eviction_(*contents_),
        maintenance_(*contents_, eviction_, max_bytes) {}

  Result<std::optional<std::string>> action(const Digest& key) override {
    return get({Table::actions, key}, [&](std::string bytes) { return unframe_action(key, std::move(bytes)); });
  }

  Status put_action(const Digest& key, std::string_view value) override {
    return put({Table::actions, key}, frame_action(key, value), value.size());
  }

  Result<std::optional<std::string>> blob(const Digest& digest) override {
    return get({Table::blobs, digest}, [&](std::string bytes) {
      return digest_of(bytes) == digest ? std::optional(std::move(bytes)) : std::nullopt;
    });
  }

  Result<bool> has_blob(const Digest& digest) override { return use({Table::blobs, digest}); }

  Result<Digest> put_blob(std::string_view bytes) override {
    const Digest digest = digest_of(bytes);
    if (use({Table::blobs, digest})) return digest;
    if (auto stored = put({Table::blobs, digest}, bytes, bytes.size()); !stored) return stored.error();
    return digest;
  }

  std::unique_ptr<Lease> lease() override { return make_lease(contents_->holds); }

  Result<std::optional<std::string>> note(std::string_view name) override {
    auto read = contents_->database->get(Table::notes, name);
    if (!read) return read.error();
    if (read->found == Found::damaged) {
      ++corrupt_;
      contents_->log.warning("store: note " + std::string(name) + " is damaged: " + read->problem);
    }
    if (read->found != Found::yes) return std::optional<std::string>();
    return std::optional(std::move(read->value));
  }

  Status put_note(std::string_view name, std::string_view value) override {
    return contents_->database->write({{Table::notes, name, value}});
  }

  Status shrink_to(std::uint64_t max_bytes) override { return eviction_.shrink_to(max_bytes); }
  Status clear() override { return eviction_.clear(); }

  Usage usage() override {
    contents_->recency.wait_until_complete(kTotalsLimit);
    const auto totals = contents_->recency.totals();
    return {totals.actions, totals.blobs,       totals.bytes, allocated_bytes(contents_->directory),
            corrupt_,       eviction_.evicted()};
  }

 private:
  // `check` gives the value that the stored bytes stand for, or nothing if they are not what was stored.
  template <typename Check>
  Result<std::optional<std::string>> get(const UseKey& key, Check check) {
    const std::optional<std::string> nothing;
    if (!use(key)) return nothing;
    auto read = contents_->database->get(key.table, key.digest.bytes());
    if (!read) return read.error();
    if (read->found == Found::no) return nothing;
    if (read->found == Found::damaged) {
      drop(key, read->problem);
      return nothing;
    }
    auto value = check(std::move(read->value));
    if (!value) drop(key, "its bytes do not match its digest");
    return value;
  }

  // Whether it is complete is asked first: what is loaded between the two questions was not there for the other.
  bool use(const UseKey& key) {
    const bool complete = contents_->recency.is_complete();
    const bool there = contents_->recency.touch(key) || (!complete && adopt(*contents_, key));
    if (there) maintenance_.used();
    return there;
  }

  Status put(const UseKey& key, std::string_view bytes, std::uint64_t size) {
    if (size > kLongestValue) return Error{"store: value of " + std::to_string(size) + " bytes is too long"};
    {
      const std::shared_lock gate(contents_->gate);
      // Two puts of one key: the database and the recency must agree on which was the last.
      const std::scoped_lock stripe(stripes_[key.digest.low % kStripes]);
      const Use now = contents_->recency.use_now(static_cast<std::uint32_t>(size));
      const std::string use_key = encode_use_key(key);
      const std::string use_value = encode_use(now);
      const std::string value_key = key.digest.bytes();
      auto written = contents_->database->write({{key.table, value_key, bytes}, {Table::uses, use_key, use_value}});
      if (!written) return written;
      contents_->recency.set(key, now);
    }
    maintenance_.wrote(bytes.size());
    return done();
  }

  void drop(const UseKey& key, const std::string& problem) {
    ++corrupt_;
    contents_->log.warning(std::string("store: dropped ") + (key.table == Table::actions ? "action " : "blob ") +
                           key.digest.hex() + ": " + problem);
    const std::scoped_lock gate(contents_->gate);
    contents_->recency.erase(key);
    const std::string use_key = encode_use_key(key);
    const std::string value_key = key.digest.bytes();
    const auto removed =
        contents_->database->write({{key.table, value_key, std::nullopt}, {Table::uses, use_key, std::nullopt}});
    if (!removed) contents_->log.warning(removed.error().message);
  }

  UniqueFd lock_;  // first: it is given up when all else is closed
  std::unique_ptr<Contents> contents_;
  std::atomic<std::uint64_t> corrupt_ = 0;
  std::array<std::mutex, kStripes> stripes_;
  Eviction eviction_;
  Maintenance maintenance_;
};

}  // namespace

std::unique_ptr<Store> make_rocks_store(std::unique_ptr<Contents> contents, UniqueFd lock, std::uint64_t max_bytes) {
  return std::make_unique<RocksStore>(std::move(contents), std::move(lock), max_bytes);
}

}  // namespace hipcache::store
