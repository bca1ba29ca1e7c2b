// The loader's cache of this machine, parsed once for each content, and what it was a moment ago.
//
// The problem: ldconfig rewrites the file for each installed library, so the cache changes while steps run, and what a
// step loaded is only known afterwards. The choice: the last few contents are kept with the times at which they were
// seen, so the entries before and after a step can be compared. Rejected: a look before each step, because every state
// of a path set looks already.
#ifndef HIPCACHE_SRC_INPUTS_LOADER_CURRENT_LOADER_CACHE_H
#define HIPCACHE_SRC_INPUTS_LOADER_CURRENT_LOADER_CACHE_H

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

#include "hipcache/base/digest.h"
#include "inputs/loader/loader_cache.h"

namespace hipcache::inputs {

inline constexpr const char* kLoaderCacheFile = "/etc/ld.so.cache";

// Thread-safe.
class CurrentLoaderCache {
 public:
  // The parsed cache of that content; null if the file has changed since or is not understood. `ctime_ns` is the
  // file's, `seen_ns` a time of the file clock before the file was looked at.
  std::shared_ptr<const LoaderCache> of(const Digest& content, std::int64_t ctime_ns, std::uint64_t seen_ns);

  // The cache that was there at that time of the file clock; null if no look in the minute before tells.
  std::shared_ptr<const LoaderCache> as_of(std::uint64_t time_ns) const;

 private:
  static constexpr std::size_t kMost = 4;
  static constexpr std::uint64_t kLongestGap = 60'000'000'000;  // ns from a look to the time that is asked for

  struct Seen {
    Digest content;
    std::int64_t ctime_ns = 0;
    std::uint64_t first_ns = 0, last_ns = 0;
    std::shared_ptr<const LoaderCache> cache;  // null: not understood
  };

  mutable std::mutex mutex_;
  std::deque<Seen> seen_;  // in order of their first look; neighbours differ
};

}  // namespace hipcache::inputs

#endif
