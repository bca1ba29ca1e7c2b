#include "cache/decoded_sets.h"

namespace hipcache::cache {

std::shared_ptr<const inputs::PathSet> DecodedSets::find(const Digest& id) {
  std::lock_guard lock(mutex_);
  auto at = places_.find(id);
  if (at == places_.end()) return nullptr;
  order_.splice(order_.begin(), order_, at->second);
  return *at->second;
}

void DecodedSets::insert(std::shared_ptr<const inputs::PathSet> set) {
  const std::size_t size = set->memory();
  std::lock_guard lock(mutex_);
  if (size > max_bytes_ || places_.contains(set->id())) return;
  while (bytes_ + size > max_bytes_) {
    bytes_ -= order_.back()->memory();
    places_.erase(order_.back()->id());
    order_.pop_back();
  }
  bytes_ += size;
  order_.push_front(std::move(set));
  places_.emplace(order_.front()->id(), order_.begin());
}

std::size_t DecodedSets::bytes() const {
  std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace hipcache::cache
