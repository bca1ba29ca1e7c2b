// The step of an opaque compile: one traced run of what the user typed (compiler/opaque/opaque_command.h). Its outputs
// are where the user wants them, and are read from there.
//
// The result is stored only after the client has its answer, because the outputs are in place already. Everything that
// the user may change after the answer is read before it. Used by one thread.
#ifndef HIPCACHE_SRC_DAEMON_RUN_OPAQUE_RUN_H
#define HIPCACHE_SRC_DAEMON_RUN_OPAQUE_RUN_H

#include <cstdint>
#include <optional>
#include <vector>

#include "daemon/request/request_context.h"
#include "daemon/request/step.h"
#include "daemon/run/link_worth.h"
#include "daemon/run/output_recorder.h"

namespace hipcache::daemon {

// The command as a step, with the request's key.
StepSpec opaque_spec(const RequestContext& context);

class OpaqueRun : public SingleRun {
 public:
  // Both arguments outlive this object.
  OpaqueRun(StepState& state, const StepContext& context) : SingleRun(state), context_(context) {}

  // If an earlier command wrote the archive just now, it may change without a new timestamp until the clock ticks. Then
  // it must still have the content that the key says.
  Status prepare() override;

  // Stores what take_in() has read. REQUIRES: the step's `is_stored_later`.
  void store();

 private:
  // Reads every file that the user may change later, unless the run proves nothing. Reasons against recording become
  // the step's refusal and never an error, because the user has the outputs.
  Status take(const protocol::StepDone& report) override;

  // Reads the outputs and sets what they depend on. Returns why they prove nothing.
  std::optional<inputs::Refusal> witness(const std::vector<trace::Record>& records, const protocol::StepDone& report);

  // Whether what the run made is of no use (StepResult::unusable).
  std::optional<inputs::Refusal> why_unusable() const;

  const StepContext& context_;
  std::uint64_t updated_as_ = 0;  // identity of the request's `updated` file just before the run; 0: none
  std::vector<CollectedOutput> outputs_;
};

}  // namespace hipcache::daemon

#endif
