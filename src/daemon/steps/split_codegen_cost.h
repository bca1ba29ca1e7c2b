// The measured cost of a device step's front end and back end (plan.h, SplitCodegen), and whether to run them
// separately.
//
// The problem: separate runs cost one more process, and a file for the bitcode. They save the back end when the bitcode
// is unchanged. The cost of the back end varies by a factor of a thousand between units, and the command does not show
// it. The choice: the first run is split within one start of the compiler and measures both parts. The cost is kept
// under the step's key, and later runs of the step use it. Rejected: a setting; the time between system calls, because
// no call marks the start of the back end; wall-clock time, which depends on the machine's load.
#ifndef HIPCACHE_SRC_DAEMON_STEPS_SPLIT_CODEGEN_COST_H
#define HIPCACHE_SRC_DAEMON_STEPS_SPLIT_CODEGEN_COST_H

#include <cstdint>
#include <string>
#include <string_view>

#include "hipcache/base/result.h"

namespace hipcache::daemon {

class SplitCodegenCost {
 public:
  // Front end and back end ran in one process and took this processor time together, in microseconds.
  void ran_as_one(std::uint64_t whole_us);
  // The front end ran separately. The back end ran, too, or its result was stored.
  void ran_apart(std::uint64_t front_us, std::uint64_t back_us);
  void spared_back(std::uint64_t front_us);
  // The back end printed something, or failed where the whole compile may not: the step is not split again.
  void refuse() { refused_ = true; }

  // Whether the step ran before, split or not.
  bool is_known() const { return refused_ || front_us_ + back_us_ > 0; }
  // Whether the next run should be split.
  bool pays() const;

  bool operator==(const SplitCodegenCost&) const = default;

  std::string encode() const;
  static Result<SplitCodegenCost> decode(std::string_view bytes);

 private:
  std::uint64_t front_us_ = 0;
  std::uint64_t back_us_ = 0;
  std::uint64_t apart_ = 0;   // runs
  std::uint64_t spared_ = 0;  // runs without the back end
  bool refused_ = false;
};

}  // namespace hipcache::daemon

#endif
