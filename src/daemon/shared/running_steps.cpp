#include "daemon/shared/running_steps.h"

namespace hipcache::daemon {

RunningSteps::Entry RunningSteps::begin(Step step) {
  const std::scoped_lock lock(mutex_);
  const std::uint64_t number = next_++;
  steps_.emplace(number, std::move(step));
  return {*this, number};
}

std::vector<RunningSteps::Step> RunningSteps::now() const {
  const std::scoped_lock lock(mutex_);
  std::vector<Step> all;
  all.reserve(steps_.size());
  for (const auto& [number, step] : steps_) all.push_back(step);
  return all;
}

void RunningSteps::end(std::uint64_t number) {
  const std::scoped_lock lock(mutex_);
  steps_.erase(number);
}

}  // namespace hipcache::daemon
