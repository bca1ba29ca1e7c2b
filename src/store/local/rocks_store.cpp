#include "store/local/rocks_store.h"

#include <atomic>
#include <chrono>
#include <utility>

#include "store/local/actions.h"
#include "store/local/blobs.h"
#include "store/local/database/disk_use.h"
#include "store/local/space/eviction.h"
#include "store/local/space/maintenance.h"
#include "store/local/value_table.h"

namespace hipcache::store {
namespace {

constexpr std::chrono::seconds kTotalsLimit{5};  // after that, the totals of what has been read so far
constexpr std::chrono::seconds kListLimit{60};   // for a list of all actions, which must not lack any

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
