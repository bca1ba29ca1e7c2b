#include "store/local/rocks_store.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/base/files.h"
#include "hipcache/base/own_directory.h"
#include "hipcache/base/result.h"
#include "hipcache/store/local_store.h"
#include "store/local/blobs.h"
#include "store/local/database/database.h"
#include "store/local/database/framing.h"
#include "store/local/database/versions.h"
#include "store/local/space/maintenance.h"
#include "store/local/value_table.h"

namespace hipcache::store {

namespace {

std::uint32_t system_seconds() { return static_cast<std::uint32_t>(std::time(nullptr)); }

// Opens one database. Distinguishes proven damage of the files from trouble with the machine (too few descriptors or
// threads, no memory): setting the files aside cures only damage.
class Opening {
 public:
  Opening(const StoreOptions& options, Log& log, const Clock& clock, std::uint64_t few_uses)
      : options_(options), log_(log), clock_(clock), few_uses_(few_uses) {}

  Result<std::unique_ptr<LocalStore>> run() {
    if (auto found = find_directories(); !found) return found.error();
    auto lock = lock_directory(*directories_.ours);
    if (!lock) return lock.error();
    if (const auto damage = noted_damage(*directories_.ours)) {
      if (auto aside = set_aside(*directories_.ours, *damage, log_); !aside) return aside.error();
    }
    auto state = open_and_load();
    if (!state && state.error().code == ErrorCode::damaged) {
      if (auto aside = set_aside(*directories_.ours, state.error().message, log_); !aside) return aside.error();
      state = open_and_load();
    }
    if (!state) return state.error();
    return make_rocks_store(std::move(*state), std::move(*lock), options_.max_bytes);
  }

 private:
  Status find_directories() {
    auto root = options_.within != nullptr ? options_.within->open_or_make_below(options_.directory)
                                           : OwnDirectory::open_or_make(options_.directory);
    if (!root) return root.error();
    auto ours = root->open_or_make_below(version_directory());
    if (!ours) return ours.error();
    directories_.root = std::make_shared<const OwnDirectory>(std::move(*root));
    directories_.ours = std::make_shared<const OwnDirectory>(std::move(*ours));
    return done();
  }

  // An error with ErrorCode::damaged is cured by setting the database aside.
  Result<std::unique_ptr<StoreState>> open_and_load() {
    auto fresh = is_fresh();
    if (!fresh) return fresh.error();
    auto database = open_database();
    if (!database) return database.error();
    auto state = std::make_unique<StoreState>(directories_, log_, std::move(*database), clock_);
    if (auto format = *fresh ? write_format(*state->database) : check_format(*state->database); !format) {
      return format.error();
    }
    if (state->database->estimated_records(Table::uses) > few_uses_) return state;
    const std::atomic<bool> never = false;
    if (auto loaded = load_uses(*state, never); !loaded) return loaded.error();
    return state;
  }

  // RocksDB takes a directory without CURRENT for a new database, and silently deletes what it finds there.
  Result<bool> is_fresh() const {
    const auto directory = directories_.ours->open_or_make_below(kDatabase);
    if (!directory) return directory.error();
    const auto names = list_directory(directory->anchored());
    if (!names) return names.error();
    if (names->empty()) return true;
    if (std::find(names->begin(), names->end(), "CURRENT") != names->end()) return false;
    return damage("file CURRENT is missing");
  }

  Result<std::unique_ptr<Database>> open_database() {
    OpenAttempt attempt = try_open(Recovery::strict);
    if (attempt.database) return std::move(attempt.database);
    // This repair of RocksDB's is safe: it loses only what the damaged part of the write-ahead log held. RepairDB is
    // not: it forgets all blob files (facebook/rocksdb issues 13090 and 13884).
    if (attempt.damaged) {
      const std::string problem = attempt.problem;
      attempt = try_open(Recovery::skip_damaged_log);
      if (attempt.database) {
        log_.warning("store: repaired by leaving out damaged records of the write-ahead log: " + problem);
        return std::move(attempt.database);
      }
    }
    if (attempt.damaged) return damage(attempt.problem);
    return Error{"cannot open store " + directories_.ours->path() + ": " + attempt.problem};
  }

  OpenAttempt try_open(Recovery recovery) const {
    auto directory = directories_.ours->open_or_make_below(kDatabase);
    if (!directory) return {.database = nullptr, .damaged = false, .problem = directory.error().message};
    const auto on_damage = [ours = directories_.ours, &log = log_](const std::string& problem) {
      log.error("store: damaged, writes are refused until it is opened again: " + problem);
      note_damage(*ours, problem);
    };
    return Database::open(std::move(*directory), recovery, options_.sync, on_damage);
  }

  static Status write_format(Database& database) { return database.write({{Table::meta, kFormatKey, kFormat}}); }

  static Status check_format(Database& database) {
    auto format = database.get(Table::meta, kFormatKey);
    if (!format) return format.error();
    if (format->found == Found::damaged) return damage(format->problem);
    if (format->found == Found::yes && format->value == kFormat) return done();
    return damage("format is '" + format->value + "', this program's is '" + std::string(kFormat) + "'");
  }

  static Error damage(const std::string& problem) { return Error{problem, ErrorCode::damaged}; }

  const StoreOptions& options_;
  Log& log_;
  const Clock& clock_;
  const std::uint64_t few_uses_;
  Directories directories_;
};

}  // namespace

Result<std::unique_ptr<LocalStore>> open_store_with(const StoreOptions& options, Log& log, const Clock& clock,
                                                    std::uint64_t few_uses) {
  return Opening(options, log, clock, few_uses).run();
}

Result<std::unique_ptr<LocalStore>> open_store(const StoreOptions& options, Log& log) {
  return open_store_with(options, log, system_seconds);
}

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
        quiet_(*state_, maintenance_) {}

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

  Result<std::optional<std::string>> blob(const Digest& digest) override { return blobs_.get(digest); }
  Result<std::optional<UniqueFd>> blob_file(const Digest& digest) override { return blobs_.file(digest); }
  Result<std::vector<Digest>> missing_blobs(std::span<const Digest> digests) override {
    return blobs_.missing(digests);
  }
  Result<bool> hold_blobs(std::span<const Digest> digests, Lease& lease) override {
    for (const Digest& digest : digests)
      if (Result<bool> held = blobs_.hold(digest, lease); !held || !*held) return held;
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
    return std::optional(std::move(read->value));
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
            eviction_.evicted()};
  }

 private:
  UniqueFd lock_;  // first member: released after everything else is closed
  std::unique_ptr<StoreState> state_;
  std::atomic<std::uint64_t> corrupt_ = 0;
  Eviction eviction_;
  Maintenance maintenance_;
  ValueTable values_;
  Actions actions_;
  Blobs blobs_;
  QuietStore quiet_;
};

}  // namespace

std::unique_ptr<LocalStore> make_rocks_store(std::unique_ptr<StoreState> state, UniqueFd lock,
                                             std::uint64_t max_bytes) {
  return std::make_unique<RocksStore>(std::move(state), std::move(lock), max_bytes);
}

}  // namespace hipcache::store
