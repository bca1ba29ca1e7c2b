// Reads the use records of an opened store into its recency.
//
// The problem: reading a million records takes half a second, and whoever started the daemon waits. The choice: a few
// records are read before the store is open, because then all users of the recency are simpler. Many records are read
// by the store's own thread while it serves. Until that is done, the database is asked for entries that the recency
// lacks. Rejected: leaving the records in the database. That needs a write for each use, and a full read for totals.
#ifndef HIPCACHE_SRC_STORE_LOCAL_SPACE_USE_LOADER_H
#define HIPCACHE_SRC_STORE_LOCAL_SPACE_USE_LOADER_H

#include <atomic>
#include <cstdint>
#include <optional>

#include "hipcache/base/result.h"
#include "store/local/space/store_state.h"

namespace hipcache::store {

inline constexpr std::uint64_t kFewUses = 20'000;

// An error if records cannot be read: ErrorCode::damaged if the database is at fault. The recency is complete
// afterwards, unless `cancel` became true.
Status load_uses(StoreState& state, const std::atomic<bool>& cancel);

// Takes an entry that an incomplete recency lacks from the database, and marks a use. nullopt if the database lacks it
// too. Takes no lock: an entry that is dropped between reading and adopting is not adopted.
std::optional<Use> adopt(StoreState& state, const UseKey& key);

}  // namespace hipcache::store

#endif
