// The loader's cache of this machine, parsed once for each content.
#ifndef HIPCACHE_SRC_INPUTS_LOADER_CURRENT_LOADER_CACHE_H
#define HIPCACHE_SRC_INPUTS_LOADER_CURRENT_LOADER_CACHE_H

#include <memory>
#include <mutex>

#include "hipcache/base/digest.h"
#include "inputs/loader/loader_cache.h"

namespace hipcache::inputs {

inline constexpr const char* kLoaderCacheFile = "/etc/ld.so.cache";

// Thread-safe.
class CurrentLoaderCache {
 public:
  // The parsed cache of that content; null if the file has changed since or is not understood.
  std::shared_ptr<const LoaderCache> of(const Digest& content);

 private:
  std::mutex mutex_;
  Digest content_;
  bool is_read_ = false;
  std::shared_ptr<const LoaderCache> cache_;
};

}  // namespace hipcache::inputs

#endif
