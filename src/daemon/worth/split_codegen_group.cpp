#include "daemon/worth/split_codegen_group.h"

#include <algorithm>

#include "hipcache/inputs/frames.h"

namespace hipcache::daemon {
namespace {

constexpr std::uint8_t kVersion = 1;

// No compile takes longer. The bound keeps sums from overflowing.
constexpr std::uint64_t kMostUs = 7ull * 86'400 * 1'000'000;

Error damaged() { return Error{"the trials of a group of device steps are damaged"}; }

bool is_bounded(const SplitCodegenTrial& trial) {
  return std::max({trial.front_us, trial.price_us, trial.saving_us}) <= kMostUs;
}

}  // namespace

void SplitCodegenGroup::add(const SplitCodegenTrial& trial) {
  if (!is_bounded(trial)) return;
  if (trials_.size() == kMostTrials) trials_.erase(trials_.begin());
  trials_.push_back(trial);
}

bool SplitCodegenGroup::pays() const {
  if (trials_.size() < kLeastTrials) return true;
  std::uint64_t price_us = 0;
  std::uint64_t saving_us = 0;
  for (const SplitCodegenTrial& trial : trials_) {
    price_us += trial.price_us;
    saving_us += trial.saving_us;
  }
  return price_us <= saving_us + kAllowedLossUs;
}

bool SplitCodegenGroup::splits_first_compile() {
  if (pays()) return true;
  as_one_ = (as_one_ + 1) % kTrialEvery;
  return as_one_ == 0;
}

std::uint64_t SplitCodegenGroup::typical_front_us() const {
  if (trials_.empty()) return 0;
  std::vector<std::uint64_t> fronts;
  for (const SplitCodegenTrial& trial : trials_) fronts.push_back(trial.front_us);
  const auto middle = fronts.begin() + static_cast<std::ptrdiff_t>(fronts.size() / 2);
  std::nth_element(fronts.begin(), middle, fronts.end());
  return *middle;
}

std::string SplitCodegenGroup::encode() const {
  inputs::FrameWriter out;
  out.byte(kVersion).number(as_one_).number(trials_.size());
  for (const SplitCodegenTrial& trial : trials_)
    out.number(trial.front_us).number(trial.price_us).number(trial.saving_us);
  return std::move(out).bytes();
}

Result<SplitCodegenGroup> SplitCodegenGroup::decode(std::string_view bytes) {
  inputs::FrameReader in(bytes);
  if (in.byte() != kVersion) return damaged();
  SplitCodegenGroup group;
  group.as_one_ = in.number();
  const std::uint64_t count = in.number();
  if (group.as_one_ >= kTrialEvery || count > kMostTrials) return damaged();
  for (std::uint64_t index = 0; index < count; ++index) {
    SplitCodegenTrial trial;
    trial.front_us = in.number();
    trial.price_us = in.number();
    trial.saving_us = in.number();
    if (!is_bounded(trial)) return damaged();
    group.trials_.push_back(trial);
  }
  if (!in.finished()) return damaged();
  return group;
}

}  // namespace hipcache::daemon
