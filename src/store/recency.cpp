#include "store/recency.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <queue>
#include <unordered_set>
#include <utility>

namespace hipcache::store {

namespace {

// Used by one thread at a time, as its request is.
class PinningLease : public Lease {
 public:
  explicit PinningLease(std::shared_ptr<Pins> pins) : pins_(std::move(pins)) {}
  ~PinningLease() override {
    for (const Digest& blob : mine_) pins_->release(blob);
  }
  PinningLease(const PinningLease&) = delete;
  PinningLease& operator=(const PinningLease&) = delete;

  void add(const Digest& blob) override {
    if (mine_.insert(blob).second) pins_->add(blob);
  }

 private:
  std::shared_ptr<Pins> pins_;
  std::unordered_set<Digest> mine_;
};

using Map = boost::unordered_flat_map<Digest, Use, std::hash<Digest>>;

bool used_before(const Recency::Entry& left, const Recency::Entry& right) {
  return left.use.seconds < right.use.seconds;
}

}  // namespace

void Pins::add(const Digest& blob) {
  const std::scoped_lock lock(mutex_);
  ++counts_[blob];
}

void Pins::release(const Digest& blob) {
  const std::scoped_lock lock(mutex_);
  const auto found = counts_.find(blob);
  if (found != counts_.end() && --found->second == 0) counts_.erase(found);
}

bool Pins::pins(const Digest& blob) const {
  const std::scoped_lock lock(mutex_);
  return counts_.contains(blob);
}

std::unique_ptr<Lease> make_lease(std::shared_ptr<Pins> pins) {
  return std::make_unique<PinningLease>(std::move(pins));
}

struct Recency::Tables {
  Map actions, blobs;
  std::uint64_t bytes = 0;
  std::vector<UseKey> touched;
  std::unordered_set<Digest> erased;  // while incomplete; of both tables, so it may leave out one entry too many

  Map& of(Table table) { return table == Table::actions ? actions : blobs; }

  void set(const UseKey& key, const Use& use) {
    const auto [entry, added] = of(key.table).try_emplace(key.digest, use);
    if (!added) {
      bytes -= entry->second.size;
      entry->second = use;
    }
    bytes += use.size;
  }

  void add(const UseKey& key, const Use& use) {
    if (of(key.table).try_emplace(key.digest, use).second) bytes += use.size;
  }

  std::optional<Use> touch(const UseKey& key, std::uint32_t now) {
    Map& map = of(key.table);
    const auto entry = map.find(key.digest);
    if (entry == map.end()) return std::nullopt;
    if (entry->second.seconds < now) {
      entry->second.seconds = now;
      touched.push_back(key);
    }
    return entry->second;
  }
};

Recency::Recency(Clock clock) : clock_(std::move(clock)), tables_(std::make_unique<Tables>()) {}
Recency::~Recency() = default;

void Recency::set(const UseKey& key, const Use& use) {
  const std::scoped_lock lock(mutex_);
  tables_->set(key, use);
}

void Recency::load_older(const std::vector<Entry>& entries) {
  const std::scoped_lock lock(mutex_);
  for (const Entry& entry : entries)
    if (!tables_->erased.contains(entry.key.digest)) tables_->add(entry.key, entry.use);
}

std::optional<Use> Recency::adopt(const UseKey& key, const Use& use) {
  const std::uint32_t now = clock_();
  const std::scoped_lock lock(mutex_);
  if (!complete_ && !tables_->erased.contains(key.digest)) tables_->add(key, use);
  return tables_->touch(key, now);
}

void Recency::complete() {
  const std::scoped_lock lock(mutex_);
  tables_->erased.clear();
  complete_ = true;
  completed_.notify_all();
}

bool Recency::wait_until_complete(std::chrono::milliseconds limit) const {
  std::unique_lock lock(mutex_);
  return completed_.wait_for(lock, limit, [&] { return complete_.load(); });
}

Use Recency::use_now(std::uint32_t size, bool has_bases) const { return {clock_(), size, has_bases}; }

std::optional<Use> Recency::touch(const UseKey& key) {
  const std::uint32_t now = clock_();
  const std::scoped_lock lock(mutex_);
  return tables_->touch(key, now);
}

std::optional<Use> Recency::find(const UseKey& key) const {
  const std::scoped_lock lock(mutex_);
  const Map& map = tables_->of(key.table);
  const auto entry = map.find(key.digest);
  return entry == map.end() ? std::nullopt : std::optional(entry->second);
}

std::vector<Recency::Entry> Recency::entries(Table table) const {
  const std::scoped_lock lock(mutex_);
  const Map& map = tables_->of(table);
  std::vector<Entry> entries;
  entries.reserve(map.size());
  for (const auto& [digest, use] : map) entries.push_back({{table, digest}, use});
  return entries;
}

bool Recency::erase(const UseKey& key) {
  const std::scoped_lock lock(mutex_);
  if (!complete_) tables_->erased.insert(key.digest);
  Map& map = tables_->of(key.table);
  const auto entry = map.find(key.digest);
  if (entry == map.end()) return false;
  tables_->bytes -= entry->second.size;
  map.erase(entry);
  return true;
}

Recency::Totals Recency::totals() const {
  const std::scoped_lock lock(mutex_);
  return {tables_->actions.size(), tables_->blobs.size(), tables_->bytes};
}

std::vector<Recency::Entry> Recency::oldest(std::uint64_t bytes, std::size_t limit, const Pins& pins) const {
  std::priority_queue<Entry, std::vector<Entry>, decltype(&used_before)> newest_first(&used_before);
  {
    const std::scoped_lock lock(mutex_);
    for (const Table table : {Table::actions, Table::blobs}) {
      for (const auto& [digest, use] : tables_->of(table)) {
        if (newest_first.size() == limit && newest_first.top().use.seconds <= use.seconds) continue;
        if (table == Table::blobs && pins.pins(digest)) continue;
        newest_first.push({{table, digest}, use});
        if (newest_first.size() > limit) newest_first.pop();
      }
    }
  }
  std::vector<Entry> entries;
  entries.reserve(newest_first.size());
  for (; !newest_first.empty(); newest_first.pop()) entries.push_back(newest_first.top());
  std::reverse(entries.begin(), entries.end());
  std::uint64_t sum = 0;
  const auto enough = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) {
    const bool reached = sum >= bytes;
    sum += entry.use.size;
    return reached;
  });
  entries.erase(enough, entries.end());
  return entries;
}

std::vector<Recency::Entry> Recency::erase_unused(const Entry* entries, std::size_t count, const Pins& pins) {
  std::vector<Entry> erased;
  const std::scoped_lock lock(mutex_);
  for (const Entry* entry = entries; entry != entries + count; ++entry) {
    Map& map = tables_->of(entry->key.table);
    const auto found = map.find(entry->key.digest);
    if (found == map.end() || found->second.seconds != entry->use.seconds) continue;
    if (entry->key.table == Table::blobs && pins.pins(entry->key.digest)) continue;
    tables_->bytes -= found->second.size;
    map.erase(found);
    erased.push_back(*entry);
  }
  return erased;
}

std::vector<Recency::Entry> Recency::take_touched() {
  const std::scoped_lock lock(mutex_);
  std::vector<Entry> entries;
  entries.reserve(tables_->touched.size());
  for (const UseKey& key : tables_->touched) {
    const Map& map = tables_->of(key.table);
    const auto entry = map.find(key.digest);
    if (entry != map.end()) entries.push_back({key, entry->second});
  }
  tables_->touched.clear();
  return entries;
}

std::size_t Recency::touched() const {
  const std::scoped_lock lock(mutex_);
  return tables_->touched.size();
}

}  // namespace hipcache::store
