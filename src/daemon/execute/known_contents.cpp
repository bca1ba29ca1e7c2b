#include "daemon/execute/known_contents.h"

#include "hipcache/trace/seen.h"

namespace hipcache::daemon {

// A file that changes while it is read is not remembered.
std::optional<std::uint64_t> KnownContents::of(const std::string& path, inputs::FileSystemState& file_system) {
  const Result<Digest> before = file_system.content(path);
  if (before) {
    const std::lock_guard lock(mutex_);
    if (const auto known = known_.find(*before); known != known_.end()) return known->second;
  }
  const std::optional<std::uint64_t> content = trace::content_of(path);
  const Result<Digest> after = before ? file_system.content(path) : before;
  if (content && after && *after == *before) {
    const std::lock_guard lock(mutex_);
    if (known_.size() >= kMost) known_.clear();
    known_.insert_or_assign(*before, *content);
  }
  return content;
}

}  // namespace hipcache::daemon
