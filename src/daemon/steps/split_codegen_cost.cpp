#include "daemon/steps/split_codegen_cost.h"

#include "hipcache/inputs/frames.h"

namespace hipcache::daemon {
namespace {

constexpr std::uint8_t kVersion = 1;

// The extra cost of a split run, as measured with clang 15 and 19: another start of the compiler, and writing and
// reading the bitcode, which is proportional to the unit's cost.
constexpr std::uint64_t kProcessUs = 30'000;
constexpr std::uint64_t kPassagePart = 40;  // one part in this many

// Until the unit's own edits show otherwise, one edit in this many is assumed to leave the bitcode unchanged.
constexpr std::uint64_t kEditsUntilSpared = 5;

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

bool SplitCodegenCost::pays() const {
  const std::uint64_t saved_us = back_us_ * (spared_ + 1) / (apart_ + kEditsUntilSpared);
  return !refused_ && saved_us > kProcessUs + (front_us_ + back_us_) / kPassagePart;
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
