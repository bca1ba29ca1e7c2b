#include "store/local/space/eviction.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include "store/local/database/disk_use.h"
#include "store/local/database/quarantine.h"
#include "store/local/database/versions.h"

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

}  // namespace hipcache::store
