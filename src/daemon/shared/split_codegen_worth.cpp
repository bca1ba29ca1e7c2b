#include "daemon/shared/split_codegen_worth.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "hipcache/inputs/frames.h"

namespace hipcache::daemon {

namespace {

constexpr std::uint8_t kVersion = 1;

// The extra cost of a split run, as measured with clang 15 and 19: another start of the compiler, and writing and
// reading the bitcode, which is proportional to the unit's cost. The first split run forks instead of starting.
constexpr std::uint64_t kProcessUs = 30'000;
constexpr std::uint64_t kForkUs = 12'000;
constexpr std::uint64_t kPassagePart = 40;  // one part in this many

// Until the unit's own edits show otherwise, one edit in this many is assumed to leave the bitcode unchanged.
constexpr std::uint64_t kEditsUntilSpared = 5;

// A step takes far longer than a typical front end if it takes more than this many times as long. Front ends of one
// project differ by less, and so do runs of one step on a busy machine.
constexpr std::uint64_t kFarLonger = 2;

Error damaged() { return Error{"the cost of a device step is damaged"}; }

constexpr std::uint8_t kGroupVersion = 1;

// No compile takes longer. The bound keeps sums from overflowing.
constexpr std::uint64_t kMostUs = 7ull * 86'400 * 1'000'000;

Error damaged_group() { return Error{"the trials of a group of device steps are damaged"}; }

bool is_bounded(const SplitCodegenTrial& trial) {
  return std::max({trial.front_us, trial.price_us, trial.saving_us}) <= kMostUs;
}

// What is stored under the key; what is known of nothing, if nothing is or it is damaged.
template <typename Value>
Value stored(store::LocalStore& store, const Digest& key) {
  const Result<std::optional<std::string>> bytes = store.action(key);
  if (!bytes || !*bytes) return {};
  Result<Value> value = Value::decode(**bytes);
  return value ? std::move(*value) : Value();
}

}  // namespace

// Without a split run, the cost is assumed to be half and half. The first split run measures both parts. After that, a
// run as one changes the cost only if it is twice as large: a busy machine can add a third to the same work.
void SplitCodegenCost::ran_as_one(std::uint64_t whole_us) {
  if (apart_ == 0) {
    front_us_ = whole_us / 2;
    back_us_ = whole_us - front_us_;
  } else if (whole_us > 2 * (front_us_ + back_us_)) {
    back_us_ = whole_us - front_us_;
  }
}

void SplitCodegenCost::ran_apart(std::uint64_t front_us, std::uint64_t back_us) {
  ++apart_;
  front_us_ = front_us;
  back_us_ = back_us;
}

void SplitCodegenCost::spared_back(std::uint64_t front_us) {
  ++apart_;
  ++spared_;
  front_us_ = front_us;
}

std::uint64_t SplitCodegenCost::expected_saving_us() const {
  return back_us_ * (spared_ + 1) / (apart_ + kEditsUntilSpared);
}

bool SplitCodegenCost::pays() const {
  return !refused_ && expected_saving_us() > kProcessUs + whole_us() / kPassagePart;
}

bool SplitCodegenCost::pays_among_light(std::uint64_t typical_front_us) const {
  if (was_split()) return pays();
  if (whole_us() <= kFarLonger * typical_front_us) return false;
  SplitCodegenCost assumed = *this;
  assumed.front_us_ = typical_front_us;
  assumed.back_us_ = whole_us() - typical_front_us;
  return assumed.pays();
}

// A refused step ran a second time, as one. A back end that does not pay by itself is not split at the edit either, so
// it saves nothing then.
SplitCodegenTrial SplitCodegenCost::first_trial() const {
  if (refused_) return {front_us_, whole_us(), 0};
  return {front_us_, kForkUs + whole_us() / kPassagePart, pays() ? expected_saving_us() : 0};
}

std::string SplitCodegenCost::encode() const {
  inputs::FrameWriter out;
  out.byte(kVersion).number(front_us_).number(back_us_).number(apart_).number(spared_).byte(refused_ ? 1 : 0);
  return std::move(out).bytes();
}

Result<SplitCodegenCost> SplitCodegenCost::decode(std::string_view bytes) {
  inputs::FrameReader in(bytes);
  if (in.byte() != kVersion) return damaged();
  SplitCodegenCost cost;
  cost.front_us_ = in.number();
  cost.back_us_ = in.number();
  cost.apart_ = in.number();
  cost.spared_ = in.number();
  cost.refused_ = in.byte() != 0;
  if (!in.finished()) return damaged();
  return cost;
}

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
  out.byte(kGroupVersion).number(as_one_).number(trials_.size());
  for (const SplitCodegenTrial& trial : trials_)
    out.number(trial.front_us).number(trial.price_us).number(trial.saving_us);
  return std::move(out).bytes();
}

Result<SplitCodegenGroup> SplitCodegenGroup::decode(std::string_view bytes) {
  inputs::FrameReader in(bytes);
  if (in.byte() != kGroupVersion) return damaged_group();
  SplitCodegenGroup group;
  group.as_one_ = in.number();
  const std::uint64_t count = in.number();
  if (group.as_one_ >= kTrialEvery || count > kMostTrials) return damaged_group();
  for (std::uint64_t index = 0; index < count; ++index) {
    SplitCodegenTrial trial;
    trial.front_us = in.number();
    trial.price_us = in.number();
    trial.saving_us = in.number();
    if (!is_bounded(trial)) return damaged_group();
    group.trials_.push_back(trial);
  }
  if (!in.finished()) return damaged_group();
  return group;
}

Digest cost_key(const cache::ActionKey& step) { return cache::key_hasher("cost").field(step.value).finish(); }

SplitCodegenCost SplitCodegenLedger::cost(const cache::ActionKey& step) const {
  return stored<SplitCodegenCost>(store_, cost_key(step));
}

SplitCodegenGroup SplitCodegenLedger::group(const Digest& key) const { return stored<SplitCodegenGroup>(store_, key); }

bool SplitCodegenLedger::splits_next_run(const SplitCodegenCost& cost, const Digest& group_key) {
  if (cost.was_split()) return cost.pays();
  const std::lock_guard lock(mutex_);
  SplitCodegenGroup of_step = group(group_key);
  if (of_step.pays()) return !cost.is_known() || cost.pays();
  if (cost.is_known()) return cost.pays_among_light(of_step.typical_front_us());
  const bool splits = of_step.splits_first_compile();
  put_value(group_key, of_step.encode());
  return splits;
}

void SplitCodegenLedger::note_run(const cache::ActionKey& step, const Digest& group_key, const SplitCodegenCost& before,
                                  const SplitCodegenCost& after) {
  if (after == before) return;
  const std::lock_guard lock(mutex_);
  put_value(cost_key(step), after.encode());
  if (before.was_split() || !after.was_split()) return;
  SplitCodegenGroup of_step = group(group_key);
  of_step.add(after.first_trial());
  put_value(group_key, of_step.encode());
}

void SplitCodegenLedger::refuse(const cache::ActionKey& step) {
  const std::lock_guard lock(mutex_);
  SplitCodegenCost refused = cost(step);
  refused.refuse();
  put_value(cost_key(step), refused.encode());
}

void SplitCodegenLedger::put_value(const Digest& key, const std::string& value) {
  if (Status noted = store_.put_action(key, value); !noted) log_.warning("no cost is kept: " + noted.error().message);
}

}  // namespace hipcache::daemon
