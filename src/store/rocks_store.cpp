#include "store/rocks_store.h"

#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/blobs.h"
#include "store/framing.h"
#include "store/layers.h"
#include "store/value_table.h"
#include "store/versions.h"

namespace hipcache::store {

namespace {

// Actions on top of values: checked frames, and lists of path sets that are merged.
//
// A list is read, changed and written back under the mutex of its key. That is enough, because the database has one
// owner: two processes never write to one list. Rejected: RocksDB's merge operator. A list is framed with a digest and
// has a use record with its length, and both must be known at the write. Rejected: one entry for each writer; a look-up
// would scan for them.
//
// Thread-safe.

class Actions {
 public:
  Actions(StoreState& state, ValueTable& values) : state_(state), values_(values) {}

  Result<std::optional<std::string>> get(const Digest& key);
  Status put(const Digest& key, std::string_view value);
  // As LocalStore::put_action_if.
  Result<bool> put_if(const Digest& key, std::string_view value, const MayReplace& may);

  Result<std::vector<PathSetReference>> path_sets(const Digest& key);
  Status add_path_set(const Digest& key, const PathSetReference& set);

 private:
  static constexpr std::size_t kListMutexes = 64;

  StoreState& state_;
  ValueTable& values_;
  std::atomic<std::uint64_t> found_ = 0;
  std::array<std::mutex, kListMutexes> list_mutexes_;
};

// After so many found results, the database has proved to be of use. A user who tries a new one finds a few.
constexpr std::uint64_t kServed = 100;

UseKey action_key(const Digest& key) { return {Table::actions, key}; }

Result<std::optional<std::string>> Actions::get(const Digest& key) {
  Result<std::optional<std::string>> frame = values_.get(action_key(key));
  if (!frame || !*frame) return frame;
  std::optional<std::string> value = unframe_action(key, **frame);
  if (!value) values_.drop(action_key(key), **frame, "its bytes do not match its digest");
  if (value && ++found_ == kServed) note_served(*state_.directories.ours);
  return value;
}

Status Actions::put(const Digest& key, std::string_view value) {
  const Result<bool> stored = values_.put(action_key(key), frame_action(key, value));
  return stored ? done() : Status(stored.error());
}

Result<bool> Actions::put_if(const Digest& key, std::string_view value, const MayReplace& may) {
  return values_.put_if(action_key(key), frame_action(key, value), [&](const std::optional<std::string>& frame) {
    return may(frame ? unframe_action(key, *frame) : std::nullopt);
  });
}

Result<std::vector<PathSetReference>> Actions::path_sets(const Digest& key) {
  const Result<std::optional<std::string>> bytes = get(key);
  if (!bytes) return bytes.error();
  if (!*bytes) return std::vector<PathSetReference>();
  Result<PathSetList> list = PathSetList::decode(**bytes);
  if (!list) return list.error();
  return std::move(*list).sets();
}

// A list that cannot be read now is left alone: writing a new one in its place would lose the path sets of the old one.
Status Actions::add_path_set(const Digest& key, const PathSetReference& set) {
  const std::scoped_lock lock(list_mutexes_[key.prefix() % kListMutexes]);
  const Result<std::optional<std::string>> bytes = get(key);
  if (!bytes) return bytes.error();
  Result<PathSetList> known = *bytes ? PathSetList::decode(**bytes) : Result<PathSetList>(PathSetList());
  PathSetList list = known ? std::move(*known) : PathSetList();
  return list.move_to_front(set) ? put(key, list.encode()) : done();
}

constexpr std::chrono::seconds kTotalsLimit{5};  // after that, the totals of what has been read so far

constexpr std::chrono::seconds kListLimit{60};  // for a list of all actions, which must not lack any

// The store's values, read without counting as a use.
class QuietStore : public ReadableStore {
 public:
  QuietStore(StoreState& state, Maintenance& maintenance)
      : values_(state, maintenance, ValueTable::Uses::not_counted), actions_(state, values_), blobs_(state, values_) {}

  Result<std::optional<std::string>> action(const Digest& key) override { return actions_.get(key); }
  Result<std::vector<PathSetReference>> path_sets(const Digest& key) override { return actions_.path_sets(key); }
  Result<std::optional<std::string>> blob(const Digest& digest) override { return blobs_.get(digest); }
  Result<std::vector<Digest>> missing_blobs(std::span<const Digest> digests) override {
    return blobs_.missing(digests);
  }
  std::uint64_t dropped() const { return values_.dropped(); }

 private:
  ValueTable values_;
  Actions actions_;
  Blobs blobs_;
};

class RocksStore : public LocalStore {
 public:
  RocksStore(std::unique_ptr<StoreState> state, UniqueFd lock, std::uint64_t max_bytes)
      : lock_(std::move(lock)),
        state_(std::move(state)),
        eviction_(*state_),
        maintenance_(*state_, eviction_, max_bytes),
        values_(*state_, maintenance_),
        actions_(*state_, values_),
        blobs_(*state_, values_),
        quiet_(*state_, maintenance_),
        layers_(state_->log) {}

  Result<std::optional<std::string>> action(const Digest& key) override { return actions_.get(key); }
  Result<std::vector<PathSetReference>> path_sets(const Digest& key) override { return actions_.path_sets(key); }
  Status put_action(const Digest& key, std::string_view value, std::span<const Digest> /*blobs*/) override {
    return actions_.put(key, value);
  }
  Result<bool> put_action_if(const Digest& key, std::string_view value, const MayReplace& may) override {
    return actions_.put_if(key, value, may);
  }
  Status add_path_set(const Digest& key, const PathSetReference& set) override {
    return actions_.add_path_set(key, set);
  }

  void read_too(const FindLayers& find) override { layers_.follow(find); }
  std::vector<std::shared_ptr<ReadableStore>> lower() override { return layers_.readers(); }

  Result<bool> take_over_action(const Digest& key, std::string_view value, const MayReplace& may) override {
    Result<bool> put = put_action_if(key, value, may);
    if (put && *put) ++taken_over_;
    return put;
  }

  Result<std::optional<std::string>> blob(const Digest& digest) override {
    Result<std::optional<std::string>> found = blobs_.get(digest);
    if (found && !*found) *found = copy_from_below(digest);
    return found;
  }

  Result<std::optional<UniqueFd>> blob_file(const Digest& digest) override {
    Result<std::optional<UniqueFd>> found = blobs_.file(digest);
    if (found && !*found && copy_from_below(digest)) return blobs_.file(digest);
    return found;
  }

  Result<std::vector<Digest>> missing_blobs(std::span<const Digest> digests) override {
    Result<std::vector<Digest>> missing = blobs_.missing(digests);
    if (missing && !missing->empty()) *missing = missing_below(std::move(*missing));
    return missing;
  }

  // Copies nothing unless every blob is somewhere. The lease names a blob from the first attempt on, so the copy is
  // held as soon as it exists.
  Result<bool> hold_blobs(std::span<const Digest> digests, Lease& lease) override {
    std::vector<Digest> absent;
    for (const Digest& digest : digests) {
      const Result<bool> held = blobs_.hold(digest, lease);
      if (!held) return held;
      if (!*held) absent.push_back(digest);
    }
    if (absent.empty()) return true;
    if (!missing_below(absent).empty()) return false;
    for (const Digest& digest : absent) {
      if (!copy_from_below(digest)) return false;
      if (Result<bool> held = blobs_.hold(digest, lease); !held || !*held) return held;
    }
    return true;
  }
  Result<Digest> put_blob_like(std::string_view bytes, const Likeness& likeness) override {
    return blobs_.put(bytes, likeness);
  }

  std::unique_ptr<Lease> lease() override { return make_lease(state_->pins); }

  Result<std::vector<StoredAction>> stored_actions() override {
    if (!state_->recency.wait_until_complete(kListLimit))
      return Error{"the store is still being read; try again", ErrorCode::busy};
    std::vector<StoredAction> actions;
    for (const Recency::Entry& entry : state_->recency.entries(Table::actions))
      actions.push_back({entry.key.digest, entry.use.seconds});
    return actions;
  }
  ReadableStore& quiet() override { return quiet_; }

  Result<std::optional<std::string>> note(std::string_view name) override {
    auto read = state_->database->get(Table::notes, name);
    if (!read) return read.error();
    if (read->found == Found::damaged) {
      ++corrupt_;
      state_->log.warning("store: note " + std::string(name) + " is damaged: " + read->problem);
    }
    if (read->found != Found::yes) return std::optional<std::string>();
    return std::optional<std::string>(read->value.bytes);
  }

  Status put_note(std::string_view name, std::string_view value) override {
    return state_->database->write({{Table::notes, name, value}});
  }

  Status shrink_to(std::uint64_t max_bytes) override { return eviction_.shrink_to(max_bytes); }
  Status clear() override { return eviction_.clear(); }

  // If a directory above was removed, the database's own directory is gone with it, so this check suffices.
  bool is_in_place() override {
    return state_->directories.ours->holds("lock", lock_.get()) && state_->database->is_in_place();
  }

  Evicted evicted() const override { return eviction_.for_limit(); }

  Usage usage() override {
    state_->recency.wait_until_complete(kTotalsLimit);
    const auto totals = state_->recency.totals();
    return {totals.actions,
            totals.blobs,
            totals.bytes,
            allocated_bytes(state_->directories.root->anchored()),
            corrupt_ + values_.dropped() + quiet_.dropped(),
            eviction_.evicted(),
            layers_.readers_now().size(),
            taken_over_};
  }

 private:
  // Those of the blobs that no layer has.
  std::vector<Digest> missing_below(std::vector<Digest> digests) {
    for (const auto& reader : layers_.readers()) {
      if (Result<std::vector<Digest>> missing = reader->missing_blobs(digests)) digests = std::move(*missing);
      if (digests.empty()) break;
    }
    return digests;
  }

  // nullopt if no layer has the blob. If the copy cannot be stored, the caller gets the bytes all the same.
  std::optional<std::string> copy_from_below(const Digest& digest) {
    for (const auto& reader : layers_.readers()) {
      Result<std::optional<std::string>> bytes = reader->blob(digest);
      if (!bytes || !*bytes) continue;
      [[maybe_unused]] const Result<Digest> stored = blobs_.put(**bytes, {});
      return std::move(*bytes);
    }
    return std::nullopt;
  }

  UniqueFd lock_;  // first member: released after everything else is closed
  std::unique_ptr<StoreState> state_;
  std::atomic<std::uint64_t> corrupt_ = 0;
  Eviction eviction_;
  Maintenance maintenance_;
  ValueTable values_;
  Actions actions_;
  Blobs blobs_;
  QuietStore quiet_;
  Layers layers_;
  std::atomic<std::uint64_t> taken_over_ = 0;
};

}  // namespace

std::unique_ptr<LocalStore> make_rocks_store(std::unique_ptr<StoreState> state, UniqueFd lock,
                                             std::uint64_t max_bytes) {
  return std::make_unique<RocksStore>(std::move(state), std::move(lock), max_bytes);
}

}  // namespace hipcache::store
