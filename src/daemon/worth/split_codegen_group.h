// What the first split runs of a group of device steps showed, and whether first compiles in the group should be split
// (plan.h, SplitCodegen).
//
// The problem: only a split run shows how heavy a step's back end is (split_codegen_cost.h). If every first compile is
// split to find out, a project of light back ends pays for each step, and for a proof per architecture and set of
// options, and later uses none of it. The choice: the steps of one compiler in one build directory are a group, because
// they share headers and the style of their kernels. The group keeps its last trials, which are first split runs. Each
// has a price, and the saving that is expected at the step's first edit by the rule of split_codegen_cost.h.
//
//   first compiles are split   while there are fewer than kLeastTrials, or price <= saving + kAllowedLossUs, in sum
//   then they run as one       unproved and unsplit, except one in kTrialEvery
//
//   - Price is paid for certain, so a group with light steps only is recognised sooner the dearer its steps are.
//   - Heavy back ends are rare and large: one of 40 s among light steps is worth the price of more than a hundred. The
//     rule compares sums and not medians, so a group with few of those is split.
//   - A heavy step that nevertheless ran as one shows by its whole time (pays_among_light). It is split the next time,
//     so only its first edit runs the back end for nothing. That run is a trial, and the group may change its mind.
//   - Only first split runs count: a kernel that is edited a hundred times says nothing more about the others.
//   - One in kTrialEvery is counted, not drawn: that is as good against a chance order, and needs no seed. It is a
//     prime, so that it meets each architecture of a list in turn.
//
// Rejected:
//   - Sets of options and architectures in the group: each would begin with trials and proofs of its own, and the back
//     ends differ between them by a small factor only.
//   - Portable names of the build directory: all projects would be one group. Another checkout learns anew, which costs
//     kAllowedLossUs.
//   - Running the first steps of a group as one: their whole time bounds the back end from above only, and the host's
//     compile, which would stand for the front end, may be heavy itself.
//   - Sums that fade instead of a list of trials: the same size, and no typical front end.
//   - Counting steps that ran as one as light: they would outweigh every heavy one.
//
// A value; times in microseconds of processor time. Not thread-safe (split_codegen_ledger.h is).
#ifndef HIPCACHE_SRC_DAEMON_WORTH_SPLIT_CODEGEN_GROUP_H
#define HIPCACHE_SRC_DAEMON_WORTH_SPLIT_CODEGEN_GROUP_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/worth/split_codegen_cost.h"
#include "hipcache/base/result.h"

namespace hipcache::daemon {

class SplitCodegenGroup {
 public:
  static constexpr std::size_t kLeastTrials = 3;            // of two units, if they have two architectures
  static constexpr std::size_t kMostTrials = 32;            // older ones are forgotten
  static constexpr std::uint64_t kAllowedLossUs = 150'000;  // little more than a proof for one architecture
  static constexpr std::uint64_t kTrialEvery = 17;

  void add(const SplitCodegenTrial& trial);

  // Whether first compiles should be split.
  bool pays() const;
  // Whether this first compile should be. If the group does not pay, the call counts it: the value has changed.
  bool splits_first_compile();
  // The median of the front ends; 0 if there was no trial.
  std::uint64_t typical_front_us() const;

  bool operator==(const SplitCodegenGroup&) const = default;

  std::string encode() const;
  static Result<SplitCodegenGroup> decode(std::string_view bytes);

 private:
  std::vector<SplitCodegenTrial> trials_;  // the oldest first
  std::uint64_t as_one_ = 0;               // first compiles that ran as one since the last that did not
};

}  // namespace hipcache::daemon

#endif
