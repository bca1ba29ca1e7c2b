// The fields of the statistics' JSON that are measured from the store, not counted.
#ifndef HIPCACHE_STATS_STORE_SIZE_H
#define HIPCACHE_STATS_STORE_SIZE_H

#include <cstdint>
#include <string_view>

#include "hipcache/base/result.h"

namespace hipcache::stats {

struct StoreSize {
  std::uint64_t actions = 0;
  std::uint64_t blobs = 0;
  std::uint64_t bytes = 0;
  std::uint64_t bytes_on_disk = 0;
};

Result<StoreSize> store_size_from_json(std::string_view text);

}  // namespace hipcache::stats

#endif
