#include "inputs/loader/current_loader_cache.h"

#include <algorithm>
#include <string>
#include <utility>

#include "hipcache/base/files.h"

namespace hipcache::inputs {

std::shared_ptr<const LoaderCache> CurrentLoaderCache::of(const Digest& content, std::int64_t ctime_ns,
                                                          std::uint64_t seen_ns) {
  constexpr std::uint64_t kLargestCache = 64u << 20;
  const std::lock_guard lock(mutex_);
  if (!seen_.empty() && seen_.back().content == content) {
    seen_.back().last_ns = std::max(seen_.back().last_ns, seen_ns);
    return seen_.back().cache;
  }
  const Result<std::string> bytes = read_file(kLoaderCacheFile, kLargestCache);
  if (!bytes || digest_of(*bytes) != content) return nullptr;
  Result<LoaderCache> parsed = LoaderCache::parse(*bytes);
  seen_.push_back({content, ctime_ns, seen_ns, seen_ns,
                   parsed ? std::make_shared<const LoaderCache>(std::move(*parsed)) : nullptr});
  if (seen_.size() > kMost) seen_.pop_front();
  return seen_.back().cache;
}

// A content whose first look began before that time may have been written after it, which its ctime tells.
std::shared_ptr<const LoaderCache> CurrentLoaderCache::as_of(std::uint64_t time_ns) const {
  const std::lock_guard lock(mutex_);
  const auto last = std::find_if(seen_.rbegin(), seen_.rend(), [&](const Seen& one) {
    return one.first_ns <= time_ns && one.ctime_ns < static_cast<std::int64_t>(time_ns);
  });
  if (last == seen_.rend() || last->last_ns + kLongestGap < time_ns) return nullptr;
  return last->cache;
}

}  // namespace hipcache::inputs
