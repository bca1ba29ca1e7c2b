// Implements LocalStore over a Database: joins actions, blobs, eviction, maintenance, and the stores of other owners.
#ifndef HIPCACHE_SRC_STORE_ROCKS_STORE_H
#define HIPCACHE_SRC_STORE_ROCKS_STORE_H

#include <cstdint>
#include <memory>

#include "hipcache/base/files.h"
#include "hipcache/store/local_store.h"
#include "store/maintenance.h"

namespace hipcache::store {

// open_store with two parameters for tests: the clock, and how many use records are few enough to be read before the
// store is open.

Result<std::unique_ptr<LocalStore>> open_store_with(const StoreOptions& options, Log& log, const Clock& clock,
                                                    std::uint64_t few_uses = kFewUses);

// Takes ownership of the directory's lock, and holds it while the store lives.
std::unique_ptr<LocalStore> make_rocks_store(std::unique_ptr<StoreState> state, UniqueFd lock, std::uint64_t max_bytes);

}  // namespace hipcache::store

#endif
