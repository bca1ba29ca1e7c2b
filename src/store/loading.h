// Reads the use records of a store that was opened into its recency.
//
// The problem: of a million entries that takes half a second, and whoever started the daemon waits for an answer. The
// choice: few are read before the store is open, as all that uses it is simpler then; many are read by the store's own
// thread while it serves. Until that is through, what the recency does not know is asked of the database. Rejected: to
// leave the records in the database (a write for each use, and no totals without reading them all).
#ifndef HIPCACHE_STORE_LOADING_H
#define HIPCACHE_STORE_LOADING_H

#include <atomic>
#include <cstdint>
#include <optional>

#include "hipcache/base/result.h"
#include "store/contents.h"

namespace hipcache::store {

inline constexpr std::uint64_t kFewUses = 20'000;

// An error for records that cannot be read: ErrorCode::damaged where the database is at fault. The recency is complete
// afterwards, unless `cancel` became true.
Status load_uses(Contents& contents, const std::atomic<bool>& cancel);

// An entry that the recency lacks as long as it is incomplete: taken from the database and used now. Nothing if it is
// not there either. Takes no lock: what is dropped between the look at the database and the adoption is not adopted.
std::optional<Use> adopt(Contents& contents, const UseKey& key);

}  // namespace hipcache::store

#endif
