#include "store/local/space/pins.h"

#include <unordered_set>
#include <utility>

namespace hipcache::store {
namespace {

// Used by one thread at a time, as its request is.
class PinningLease : public Lease {
 public:
  explicit PinningLease(std::shared_ptr<Pins> pins) : pins_(std::move(pins)) {}
  ~PinningLease() override {
    for (const Digest& blob : mine_) pins_->release(blob);
  }
  PinningLease(const PinningLease&) = delete;
  PinningLease& operator=(const PinningLease&) = delete;

  void add(const Digest& blob) override {
    if (mine_.insert(blob).second) pins_->add(blob);
  }

 private:
  std::shared_ptr<Pins> pins_;
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
  return std::make_unique<PinningLease>(std::move(pins));
}

}  // namespace hipcache::store
