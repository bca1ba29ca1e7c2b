#include "inputs/loader/current_loader_cache.h"

#include <cstdint>
#include <string>
#include <utility>

#include "hipcache/base/files.h"

namespace hipcache::inputs {

std::shared_ptr<const LoaderCache> CurrentLoaderCache::of(const Digest& content) {
  constexpr std::uint64_t kLargestCache = 64u << 20;
  const std::lock_guard lock(mutex_);
  if (is_read_ && content_ == content) return cache_;
  const Result<std::string> bytes = read_file(kLoaderCacheFile, kLargestCache);
  if (!bytes || digest_of(*bytes) != content) return nullptr;
  Result<LoaderCache> parsed = LoaderCache::parse(*bytes);
  cache_ = parsed ? std::make_shared<const LoaderCache>(std::move(*parsed)) : nullptr;
  content_ = content;
  is_read_ = true;
  return cache_;
}

}  // namespace hipcache::inputs
