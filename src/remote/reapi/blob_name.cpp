#include "remote/reapi/blob_name.h"

#include <algorithm>

#include "remote/layout/sha256.h"

namespace hipcache::remote {
namespace {

constexpr std::size_t kHashBytes = 32;
constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

// Without memory the name is invalid, and nothing is written.
BlobName blob_name_of(std::string_view bytes) { return {.hash = hex_of(sha256(bytes)), .size = bytes.size()}; }

bool is_valid(const BlobName& name) {
  return name.hash.size() == 2 * kHashBytes && name.hash.find_first_not_of(kDigits) == std::string::npos;
}

void KnownNames::add(const Digest& digest, const BlobName& name) {
  const std::lock_guard lock(mutex_);
  if (!names_.insert_or_assign(digest, name).second) return;
  order_.push_back(digest);
  while (order_.size() > kMost) {
    names_.erase(order_.front());
    order_.pop_front();
  }
}

std::optional<BlobName> KnownNames::find(const Digest& digest) const {
  const std::lock_guard lock(mutex_);
  const auto known = names_.find(digest);
  return known == names_.end() ? std::nullopt : std::optional(known->second);
}

void KnownNames::forget(const Digest& digest) {
  const std::lock_guard lock(mutex_);
  if (names_.erase(digest) == 0) return;
  order_.erase(std::find(order_.begin(), order_.end(), digest));
}

}  // namespace hipcache::remote
