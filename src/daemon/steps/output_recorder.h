// Puts the outputs of a run into the store, and records results.
#ifndef HIPCACHE_SRC_DAEMON_STEPS_OUTPUT_RECORDER_H
#define HIPCACHE_SRC_DAEMON_STEPS_OUTPUT_RECORDER_H

#include <string>
#include <vector>

#include "daemon/request/request.h"
#include "daemon/request/services.h"
#include "daemon/steps/step_state.h"
#include "hipcache/base/roots.h"
#include "hipcache/compiler/hip/depfile.h"

namespace hipcache::daemon {

inline constexpr std::uint64_t kOutputLimit = 2ull << 30;  // maximum size of one output, in bytes

// An output of a run, in the form to be stored. `place` and the two flags below are set only for opaque compiles; for
// steps, the plan has them.
struct CollectedOutput {
  std::string role;
  std::string bytes;
  bool executable = false;
  std::string place;
  bool in_place = false;
  bool in_place_if_empty = false;
};

// Reads a file of that role. A depfile that names the checkout gets a form that is valid in every checkout, if it has
// one.
Result<CollectedOutput> collect_output(std::string role, const std::string& path, const Roots& roots);

// The same for a depfile of gcc or clang. `target`: the target that another command may replace; "" if none may.
Result<CollectedOutput> collect_depfile(const std::string& path, const Roots& roots, hip::DepfileForm form,
                                        const std::string& target);

// Adds the outputs to the step's result, and to the store if the result may be recorded.
void store_outputs(StepState& work, std::vector<CollectedOutput> made, const Request& request, const Services& services,
                   store::Lease& lease);

// Sets `work.filled` to the user's object, in which the fatbin replaces the placeholder. store_filled() stores it if
// the step could be recorded.
void take_filled(StepState& work, const hip::StepOutput& file, const Digest& fatbin, std::string bytes,
                 store::Lease& lease);
void store_filled(StepState& work, const Request& request, const Services& services);

// Records the result under the step's key.
void record(const StepState& work, const Request& request, const Services& services);

// The same for a result of several runs. If a file that one run read has changed meanwhile, the step's refusal says so.
void record_together(StepState& work, const std::vector<inputs::Witnessed>& runs, const Request& request,
                     const Services& services);

}  // namespace hipcache::daemon

#endif
