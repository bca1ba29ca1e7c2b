// open_store with two parameters for tests: the clock, and how many use records are few enough to be read before the
// store is open.
#ifndef HIPCACHE_SRC_STORE_LOCAL_OPEN_H
#define HIPCACHE_SRC_STORE_LOCAL_OPEN_H

#include <memory>

#include "hipcache/store/local_store.h"
#include "store/local/space/recency.h"
#include "store/local/space/use_loader.h"

namespace hipcache::store {

Result<std::unique_ptr<LocalStore>> open_store_with(const StoreOptions& options, Log& log, const Clock& clock,
                                                    std::uint64_t few_uses = kFewUses);

}  // namespace hipcache::store

#endif
