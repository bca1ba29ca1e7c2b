// The measured cost of a device step's front end and back end (plan.h, SplitCodegen), and whether to run them
// separately.
//
// The problem: separate runs cost one more process, and a file for the bitcode. They save the back end when the bitcode
// is unchanged. The cost of the back end varies by a factor of a thousand between units, and the command does not show
// it. The choice: the first split run is one start of the compiler and measures both parts. The cost is kept under the
// step's key, and later runs of the step use it. Rejected: a setting; the time between system calls, because no call
// marks the start of the back end; wall-clock time, which depends on the machine's load.
//
// All times are processor time in microseconds. split_codegen_group.h decides for steps that were never split.
#ifndef HIPCACHE_SRC_DAEMON_WORTH_SPLIT_CODEGEN_COST_H
#define HIPCACHE_SRC_DAEMON_WORTH_SPLIT_CODEGEN_COST_H

#include <cstdint>
#include <string>
#include <string_view>

#include "hipcache/base/result.h"

namespace hipcache::daemon {

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

}  // namespace hipcache::daemon

#endif
