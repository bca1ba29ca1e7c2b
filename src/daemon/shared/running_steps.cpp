#include "daemon/shared/running_steps.h"

namespace hipcache::daemon {

RunningSteps::Entry RunningSteps::begin(stats::RunningStep step) {
  const std::scoped_lock lock(mutex_);
  const std::uint64_t number = next_++;
  steps_.emplace(number, Begun{std::move(step), std::chrono::steady_clock::now()});
  return {*this, number};
}

std::vector<stats::RunningStep> RunningSteps::now() const {
  const auto now = std::chrono::steady_clock::now();
  const std::scoped_lock lock(mutex_);
  std::vector<stats::RunningStep> all;
  for (const auto& [number, begun] : steps_) {
    const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(now - begun.since);
    all.emplace_back(begun.step).age_ms = static_cast<std::uint64_t>(age.count());
  }
  return all;
}

void RunningSteps::end(std::uint64_t number) {
  const std::scoped_lock lock(mutex_);
  steps_.erase(number);
}

}  // namespace hipcache::daemon
