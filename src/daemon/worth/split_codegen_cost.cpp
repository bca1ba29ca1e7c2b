#include "daemon/worth/split_codegen_cost.h"

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

}  // namespace hipcache::daemon
