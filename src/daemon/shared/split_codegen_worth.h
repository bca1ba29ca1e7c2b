// The stored costs of device steps and of their groups, and the decision that follows from both: is the step's next run
// split?
//
// Each value lies in the store under a key of its own, so it outlives the daemon and is evicted like any other. Losing
// one costs a trial. A damaged value counts as none and is written anew. A mutex makes each change of a value one
// step, so requests that end at the same moment lose nothing of each other's; no other process writes to the store.
//
// Thread-safe. The store and the log outlive the ledger. Trouble with the store is logged, and never an error.
#ifndef HIPCACHE_SRC_DAEMON_SHARED_SPLIT_CODEGEN_WORTH_H
#define HIPCACHE_SRC_DAEMON_SHARED_SPLIT_CODEGEN_WORTH_H

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/log.h"
#include "hipcache/base/result.h"
#include "hipcache/cache/action_cache.h"
#include "hipcache/store/local_store.h"

namespace hipcache::daemon {

// The measured cost of a device step's front end and back end (plan.h, SplitCodegen), and whether to run them apart.
// The first split run is one start of the compiler and measures both parts; later runs of the step use that
// (docs/internals/plan.md, "When a step runs split"). All times are processor time in microseconds: wall-clock time
// depends on the machine's load.

// What the first split run of a step cost and promises.
struct SplitCodegenTrial {
  std::uint64_t front_us = 0;   // of the front end
  std::uint64_t price_us = 0;   // what the split run took in addition to a run as one
  std::uint64_t saving_us = 0;  // what the stored back end is expected to save at the first edit
  bool operator==(const SplitCodegenTrial&) const = default;
};

class SplitCodegenCost {
 public:
  // Front end and back end ran in one process and took this time together.
  void ran_as_one(std::uint64_t whole_us);
  // The front end ran separately. The back end ran, too, or its result was stored.
  void ran_apart(std::uint64_t front_us, std::uint64_t back_us);
  void spared_back(std::uint64_t front_us);
  // The back end printed something, or failed where the whole compile may not: the step is not split again.
  void refuse() { refused_ = true; }

  // What the step takes as a whole, and its back end of that; 0 if it is not known.
  std::uint64_t known_us() const { return whole_us(); }
  std::uint64_t back_us() const { return back_us_; }
  // Whether the step ran before, split or not.
  bool is_known() const { return refused_ || front_us_ + back_us_ > 0; }
  // Whether the step was split before.
  bool was_split() const { return refused_ || apart_ > 0; }
  // Whether the next run should be split.
  bool pays() const;
  // The same among steps of which few have a heavy back end. `typical_front_us`: of their front ends. A step that was
  // never split is assumed to be like them, unless it takes far longer than their front ends do.
  bool pays_among_light(std::uint64_t typical_front_us) const;

  // REQUIRES: the step was split once.
  SplitCodegenTrial first_trial() const;

  bool operator==(const SplitCodegenCost&) const = default;

  std::string encode() const;
  static Result<SplitCodegenCost> decode(std::string_view bytes);

 private:
  std::uint64_t whole_us() const { return front_us_ + back_us_; }
  std::uint64_t expected_saving_us() const;

  std::uint64_t front_us_ = 0;
  std::uint64_t back_us_ = 0;
  std::uint64_t apart_ = 0;   // runs
  std::uint64_t spared_ = 0;  // runs without the back end
  bool refused_ = false;
};

// The last trials, which are first split runs, of a group of device steps: whether first compiles in the group should
// be split. The steps of one compiler in one build directory are a group, because they share headers and the style of
// their kernels. docs/internals/plan.md says what else was tried.
//
//   first compiles are split   while there are fewer than kLeastTrials, or price <= saving + kAllowedLossUs, in sum
//   then they run as one       unproved and unsplit, except one in kTrialEvery
//
// Heavy back ends are rare and large, so the rule compares sums and not medians. A heavy step that nevertheless ran as
// one shows by its whole time (pays_among_light). Only first split runs count: a kernel that is edited a hundred times
// says nothing more about the others. One in kTrialEvery is counted, not drawn: that is as good against a chance order,
// and needs no seed. It is a prime, so that it meets each architecture of a list in turn.
//
// A value. Not thread-safe; the ledger is.
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

// The key under which the cost of a step's split code generation is kept.
Digest cost_key(const cache::ActionKey& step);

class SplitCodegenLedger {
 public:
  SplitCodegenLedger(store::LocalStore& store, Log& log) : store_(store), log_(log) {}

  SplitCodegenCost cost(const cache::ActionKey& step) const;

  // Whether to split the next run of a step with that cost. Asked once for each run, because a first compile counts.
  // `group_key`: keys.h, cost_group_key.
  bool splits_next_run(const SplitCodegenCost& cost, const Digest& group_key);

  // The step's run changed its cost. If that was its first split run, it is a trial of the group.
  void note_run(const cache::ActionKey& step, const Digest& group_key, const SplitCodegenCost& before,
                const SplitCodegenCost& after);

  // The step is not split again: an audit found its result wrong, and a stored back end may be why.
  void refuse(const cache::ActionKey& step);

 private:
  SplitCodegenGroup group(const Digest& key) const;
  void put_value(const Digest& key, const std::string& value);

  store::LocalStore& store_;
  Log& log_;
  std::mutex mutex_;  // held from reading a value to writing it
};

}  // namespace hipcache::daemon

#endif
