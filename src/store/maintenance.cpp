#include "store/maintenance.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "store/versions.h"

namespace hipcache::store {

namespace {

// In each round, live blobs move out of this share of the oldest blob files. The last share repeats, because the number
// of evicted bytes is an estimate from the average compression, corrected by measuring.
constexpr std::array<double, 6> kRounds = {0.25, 0.5, 1.0, 1.0, 1.0, 1.0};

constexpr std::size_t kPickedAtOnce = 65536;  // bounds the memory of picking: 3 MB
constexpr std::size_t kRemovedAtOnce = 512;   // bounds how long puts wait

constexpr std::chrono::hours kLongUnused{24};  // a store of an older version

constexpr std::chrono::seconds kLoadingLimit{10};
constexpr const char* kStillLoading = "store: it is still being read what is in it; try again";

constexpr std::uint64_t kEverything = std::numeric_limits<std::uint64_t>::max();

constexpr std::size_t kLoadedAtOnce = 4096;

// For a damaged table, the records that could be read are all there are.
Status finish(StoreState& state, const Status& scanned, bool sound) {
  state.recency.complete();
  if (!scanned) return scanned;
  return sound ? done() : Status(Error{"a use record is malformed", ErrorCode::damaged});
}

constexpr std::size_t kUsesWrittenAtOnce = 1024;

// Near the limit, the disk is measured at most once per max_bytes divided by this.
constexpr std::uint64_t kLimitSteps = 128;

// The write-ahead log holds actions at full length, and the next open reads all of it. A flush makes some small files,
// so it waits until the log has this many bytes.
constexpr std::uint64_t kWorthAFlush = std::uint64_t{64} << 10;
constexpr std::chrono::seconds kQuiet{2};

constexpr std::chrono::hours kForgotten{24 * 7};  // for older versions' stores that were not opened for so long

}  // namespace

Status Eviction::shrink_to(std::uint64_t max_bytes) {
  const std::scoped_lock lock(working_);
  if (!state_.recency.wait_until_complete(kLoadingLimit)) return Error{kStillLoading};
  if (auto flushed = state_.database->flush(); !flushed) return flushed;
  const std::uint64_t ours = our_share(max_bytes);
  for (const double share : kRounds) {
    const std::uint64_t on_disk = database_bytes();
    if (on_disk <= ours || cancelled_) return done();
    if (auto evicted = evict_for_limit(excess_value_bytes(on_disk, ours)); !evicted) return evicted;
    if (auto flushed = state_.database->flush(); !flushed) return flushed;
    if (auto compacted = state_.database->compact(share, cancelled_); !compacted) {
      return cancelled_ ? done() : compacted;
    }
  }
  return done();
}

std::uint64_t Eviction::database_bytes() const {
  return allocated_bytes(join_path(state_.directories.ours->anchored(), kDatabase));
}

// The share of the limit for this database. Databases set aside and older versions' stores are removed first, if no
// longer wanted. What must stay counts towards the limit, but the database gets at least half of it.
std::uint64_t Eviction::our_share(std::uint64_t max_bytes) const {
  const Directories& directories = state_.directories;
  const auto all_bytes = [&] { return allocated_bytes(directories.root->anchored()); };
  if (all_bytes() > max_bytes && is_set_aside_spare(*directories.ours)) remove_set_aside(*directories.ours);
  if (all_bytes() > max_bytes) remove_older_versions(*directories.root, kLongUnused);
  const std::uint64_t all = all_bytes();
  const std::uint64_t others = all - std::min(all, database_bytes());
  return max_bytes - std::min(others, max_bytes / 2);
}

Status Eviction::clear() {
  const std::scoped_lock lock(working_);
  if (!state_.recency.wait_until_complete(kLoadingLimit)) return Error{kStillLoading};
  remove_set_aside(*state_.directories.ours);
  remove_older_versions(*state_.directories.root, std::chrono::seconds{0});
  if (auto evicted = evict(kEverything); !evicted) return evicted;
  if (auto flushed = state_.database->flush(); !flushed) return flushed;
  return state_.database->compact(1.0, cancelled_);
}

// How many bytes of values are too many, by the average ratio of disk bytes to value bytes. Garbage does not count:
// only compacting frees it.
std::uint64_t Eviction::excess_value_bytes(std::uint64_t on_disk, std::uint64_t max_bytes) const {
  const std::uint64_t live = on_disk - std::min(on_disk, state_.database->garbage_bytes());
  if (live <= max_bytes) return 0;
  const double share = static_cast<double>(live - max_bytes) / static_cast<double>(live);
  return static_cast<std::uint64_t>(share * static_cast<double>(state_.recency.totals().bytes)) + 1;
}

// REQUIRES: working_ is held.
Status Eviction::evict_for_limit(std::uint64_t bytes) {
  const std::uint64_t values_before = evicted_, bytes_before = evicted_bytes_;
  Status ended = evict(bytes);
  for_limit_values_ += evicted_ - values_before;
  for_limit_bytes_ += evicted_bytes_ - bytes_before;
  return ended;
}

Status Eviction::evict(std::uint64_t bytes) {
  while (bytes > 0 && !cancelled_) {
    const auto victims = state_.recency.oldest(bytes, kPickedAtOnce, *state_.pins);
    if (victims.empty()) return done();
    for (std::size_t start = 0; start < victims.size() && !cancelled_; start += kRemovedAtOnce) {
      const std::size_t count = std::min(kRemovedAtOnce, victims.size() - start);
      if (auto removed = remove(&victims[start], count); !removed) return removed;
    }
    for (const auto& victim : victims) bytes -= std::min<std::uint64_t>(bytes, victim.use.size);
  }
  return done();
}

Status Eviction::remove(const Recency::Entry* entries, std::size_t count) {
  const std::scoped_lock lock(state_.gate);
  const auto erased = state_.recency.erase_unused(entries, count, *state_.pins);
  std::vector<std::string> keys;
  keys.reserve(2 * erased.size());
  std::vector<Change> changes;
  for (const auto& entry : erased) {
    changes.push_back({entry.key.table, keys.emplace_back(entry.key.digest.bytes()), std::nullopt});
    changes.push_back({Table::uses, keys.emplace_back(encode_use_key(entry.key)), std::nullopt});
  }
  auto written = state_.database->write(changes);
  if (written) {
    evicted_ += erased.size();
    for (const auto& entry : erased) evicted_bytes_ += entry.use.size;
  } else {
    for (const auto& entry : erased) state_.recency.set(entry.key, entry.use);
  }
  return written;
}

Status load_uses(StoreState& state, const std::atomic<bool>& cancel) {
  bool sound = true;
  std::vector<Recency::Entry> entries;
  const auto load = [&] {
    state.recency.load_older(entries);
    entries.clear();
  };
  const Status scanned = state.database->scan(Table::uses, [&](std::string_view key_bytes, std::string_view use_bytes) {
    const auto key = decode_use_key(key_bytes);
    const auto use = decode_use(use_bytes);
    sound = key && use;
    if (sound) entries.push_back({*key, *use});
    if (entries.size() == kLoadedAtOnce) load();
    return sound && !cancel;
  });
  load();
  return cancel ? done() : finish(state, scanned, sound);
}

std::optional<Use> adopt(StoreState& state, const UseKey& key) {
  const auto read = state.database->get(Table::uses, encode_use_key(key));
  if (!read || read->found != Found::yes) return std::nullopt;
  const auto use = decode_use(read->value.bytes);
  return use ? state.recency.adopt(key, *use) : std::nullopt;
}

Status write_uses_behind(StoreState& state) {
  const std::scoped_lock lock(state.gate);
  const auto touched = state.recency.take_touched();
  if (touched.empty()) return done();
  std::vector<std::string> bytes;
  bytes.reserve(2 * touched.size());
  std::vector<Change> changes;
  for (const auto& entry : touched) {
    const std::string& key = bytes.emplace_back(encode_use_key(entry.key));
    const std::string& use = bytes.emplace_back(encode_use(entry.use));
    changes.push_back({Table::uses, key, use});
  }
  return state.database->write(changes);
}

Maintenance::Maintenance(StoreState& state, Eviction& eviction, std::uint64_t max_bytes)
    : state_(state), eviction_(eviction), max_bytes_(max_bytes), thread_([this] { run(); }) {}

Maintenance::~Maintenance() {
  eviction_.cancel();
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
  say_if_failed(write_uses_behind(state_));
  say_if_failed(state_.database->flush());  // then the next open has no write-ahead log to read
}

void Maintenance::wrote(std::uint64_t bytes) {
  bool wake = false;
  {
    const std::scoped_lock lock(mutex_);
    wake = logged_ < kWorthAFlush && logged_ + bytes >= kWorthAFlush;
    logged_ += bytes;
    last_write_ = Clock::now();
    if (max_bytes_ != 0) written_ += bytes;
    wake = wake || is_limit_due();
  }
  if (wake) wake_.notify_one();
}

void Maintenance::used() {
  if (state_.recency.touched() < kUsesWrittenAtOnce) return;
  {
    const std::scoped_lock lock(mutex_);
    uses_due_ = true;
  }
  wake_.notify_one();
}

bool Maintenance::is_flush_due() const { return logged_ >= kWorthAFlush && Clock::now() >= last_write_ + kQuiet; }

void Maintenance::wait_for_work(std::unique_lock<std::mutex>& lock) {
  while (!stopping_ && !uses_due_ && !is_limit_due() && !is_flush_due()) {
    if (logged_ >= kWorthAFlush) {
      wake_.wait_until(lock, last_write_ + kQuiet);
    } else {
      wake_.wait(lock);
    }
  }
}

void Maintenance::run() {
  if (!state_.recency.is_complete()) load();
  remove_older_versions(*state_.directories.root, kForgotten);
  std::unique_lock lock(mutex_);
  while (true) {
    wait_for_work(lock);
    if (stopping_) return;
    const bool uses_due = uses_due_;
    const bool limit_due = is_limit_due();
    const bool flush_due = is_flush_due();
    uses_due_ = false;
    if (limit_due) written_ = 0;
    if (flush_due) logged_ = 0;
    lock.unlock();
    if (uses_due) say_if_failed(write_uses_behind(state_));
    if (limit_due) keep_limit();
    if (flush_due) say_if_failed(state_.database->flush());
    lock.lock();
  }
}

// If the database is damaged, the next open sets it aside.
void Maintenance::load() {
  const Status loaded = load_uses(state_, stopping_);
  if (loaded) return;
  state_.log.error("store: cannot be read to its end: " + loaded.error().message);
  if (loaded.error().code == ErrorCode::damaged) note_damage(*state_.directories.ours, loaded.error().message);
}

void Maintenance::say_if_failed(const Status& status) {
  if (!status) state_.log.warning(status.error().message);
}

void Maintenance::keep_limit() {
  const std::string& root = state_.directories.root->anchored();
  std::uint64_t on_disk = allocated_bytes(root);
  if (on_disk > max_bytes_) {
    const auto shrunk = eviction_.shrink_to(max_bytes_ - max_bytes_ / 10);
    if (!shrunk) state_.log.warning("store: cannot be kept under its limit: " + shrunk.error().message);
    on_disk = allocated_bytes(root);
  }
  const std::uint64_t room = max_bytes_ - std::min(max_bytes_, on_disk);
  const std::scoped_lock lock(mutex_);
  allowance_ = std::max(room, max_bytes_ / kLimitSteps);
}

}  // namespace hipcache::store
