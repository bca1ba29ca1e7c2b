// One step of a request while it is served: its specification, how far it is, and its result.
#ifndef HIPCACHE_SRC_DAEMON_STEPS_STEP_STATE_H
#define HIPCACHE_SRC_DAEMON_STEPS_STEP_STATE_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/request/step_context.h"
#include "daemon/shared/single_flight.h"
#include "daemon/steps/step_spec.h"
#include "hipcache/cache/action_cache.h"
#include "hipcache/cache/miss_history.h"
#include "hipcache/inputs/path_set_builder.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::daemon {

struct StepState;

// A file made by an earlier step, and that step.
struct GivenInput {
  const StepState* step = nullptr;
  const hip::StepOutput* file = nullptr;
  const cache::Output* output = nullptr;  // null if the stored result lacks it; then it cannot be brought back
};

// The outcome of a step: the result of its action, and what a run shows beside it. After a hit, only the action's
// result and what it depends on are set.
struct StepResult : cache::ActionResult {
  int exit_code = 0;
  unsigned failed_command = 0;
  std::vector<std::string> ran;   // for a probe and an opaque step: the programs that left a trace, in order
  std::string descriptor;         // a descriptor read by name (/dev/fd/5); without the cache it would read otherwise
  std::string doubt;              // why its failure may be the cache's fault; empty: it is the source's
  std::optional<Digest> bitcode;  // of a device step in two processes: what its back end compiled
  std::size_t answered = 0;       // programs not started because their result was prepared (hip::kAnswers)
  inputs::Witnessed witnessed;    // what it depends on; the set is null if `refusal` says why the run is not recorded
  std::string refusal;
  std::string refusal_detail;
  // Why the user must get what the compiler makes by itself: a file of the request's directory that an output names, or
  // that the run left there for its user. That directory is removed.
  std::optional<inputs::Refusal> unusable;

  // The user's object, if the step's own output has a placeholder (compiler/hip/fatbin_splice.h).
  struct Filled {
    cache::Output output;
    std::vector<Digest> parts;  // digests of the object with the placeholder, and of the fatbin
    std::string bytes;
  };
  std::optional<Filled> filled;

  void take(cache::ActionResult action) { static_cast<cache::ActionResult&>(*this) = std::move(action); }
  void refuse(inputs::Refusal why) {
    refusal = std::move(why.reason);
    refusal_detail = std::move(why.detail);
  }
  void make_unusable(inputs::Refusal why) {
    unusable = why;
    refuse(std::move(why));
  }
};

// Prepares and takes in the runs of a step that is in no plan. Outlives the step's run.
class StepHandler {
 public:
  virtual ~StepHandler() = default;

  // Called when it is certain that the step runs. An error ends the request.
  virtual Status prepare() = 0;

  // Takes the outputs of a run that succeeded. Sets what the step depends on, or its refusal.
  virtual void take_outputs(StepState& state, const protocol::StepDone& report) = 0;
};

struct StepState {
  explicit StepState(StepSpec specification);

  // Does not change any more.
  const StepSpec& spec() const { return spec_; }

  StepHandler* handler = nullptr;  // null for steps of a plan
  std::vector<GivenInput> given;   // files of earlier steps that it reads, in the plan's order

  bool ended = false;  // found or run; false for steps after a failed one
  bool hit = false;
  bool waited = false;                  // another client was running it
  std::optional<std::uint64_t> missed;  // a lookup missed when this many runs had ended (SingleFlight::ended)
  std::optional<cache::Hit> audited;    // what is stored, if the step runs again to be compared with it
  bool is_found_wrong = false;          // what is stored differs
  // Its result is stored only after the client has its answer. Until then other clients wait for the claim.
  bool is_stored_later = false;
  std::optional<SingleFlight::Claim> claim;

  StepResult result;

  // Takes over a stored result.
  void take(cache::Hit found);

  // The output of that role; null if the result lacks it.
  const cache::Output* made(const hip::StepOutput& output) const { return output_in(result, output.role); }
  // The form of the output that the user gets.
  const cache::Output* given_to_user(const hip::StepOutput& output) const;
  bool recordable() const { return result.witnessed.set != nullptr; }
  bool succeeded() const { return result.exit_code == 0; }
  // "host", or "host: why the failure may be the cache's fault".
  std::string failure() const;

 private:
  StepSpec spec_;
};

// The step in the form of the miss history, with its programs and arguments if a plan has it.
cache::HistoryStep history_step(const StepState& state, const inputs::RunContext& from);

// The bytes of the step's output, from the directory or from the store.
Result<std::string> read_output(const StepState& state, const hip::StepOutput& file, const std::string& directory,
                                store::Store& store);

// Writes a stored output of the step into the directory, for a later step to read.
Status materialise(const StepState& state, const hip::StepOutput& file, const StepContext& context);

}  // namespace hipcache::daemon

#endif
