#include "store/local/space/pins.h"

#include <unordered_set>
#include <utility>

namespace hipcache::store {
namespace {

// Used by one thread at a time, as its request is.
class HoldingLease : public Lease {
 public:
  explicit HoldingLease(std::shared_ptr<Pins> pins) : holds_(std::move(pins)) {}
  ~HoldingLease() override {
    for (const Digest& blob : mine_) holds_->release(blob);
  }
  HoldingLease(const HoldingLease&) = delete;
  HoldingLease& operator=(const HoldingLease&) = delete;

  void add(const Digest& blob) override {
    if (mine_.insert(blob).second) holds_->add(blob);
  }

 private:
  std::shared_ptr<Pins> holds_;
  std::unordered_set<Digest> mine_;
};

}  // namespace

void Pins::add(const Digest& blob) {
  const std::scoped_lock lock(mutex_);
  ++counts_[blob];
}

void Pins::release(const Digest& blob) {
  const std::scoped_lock lock(mutex_);
  const auto found = counts_.find(blob);
  if (found != counts_.end() && --found->second == 0) counts_.erase(found);
}

bool Pins::pins(const Digest& blob) const {
  const std::scoped_lock lock(mutex_);
  return counts_.contains(blob);
}

std::unique_ptr<Lease> make_lease(std::shared_ptr<Pins> pins) {
  return std::make_unique<HoldingLease>(std::move(pins));
}

}  // namespace hipcache::store
