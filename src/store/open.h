// open_store with the time as a parameter, for tests of what is used least recently.
#ifndef HIPCACHE_STORE_OPEN_H
#define HIPCACHE_STORE_OPEN_H

#include <memory>

#include "hipcache/store/store.h"
#include "store/recency.h"

namespace hipcache::store {

Result<std::unique_ptr<Store>> open_store_with(const StoreOptions& options, Log& log, const Clock& clock);

}  // namespace hipcache::store

#endif
