// The plain way to run a step of a plan: its commands, in the request's directory, with the outputs that the plan says.
#ifndef HIPCACHE_SRC_DAEMON_RUN_PLAIN_RUN_H
#define HIPCACHE_SRC_DAEMON_RUN_PLAIN_RUN_H

#include <vector>

#include "daemon/record/collected_output.h"
#include "daemon/record/relocatability.h"
#include "daemon/step/step.h"
#include "hipcache/inputs/run.h"

namespace hipcache::daemon {

class PlainRun : public SingleRun {
 public:
  // Both arguments outlive this object.
  PlainRun(StepState& state, const StepContext& context) : SingleRun(state), context_(context) {}

  // Writes the files that the step reads: what earlier steps made, and what the driver wrote while it planned.
  Status prepare() override;

 private:
  Status take(const protocol::StepDone& report) override;

  const StepContext& context_;
};

// The parts of such a run, of which a split run has several.
Status prepare_plainly(const StepState& state, const StepContext& context);
// A worker's run that may not be recorded is an error: its result says nothing about this machine.
Status take_in_plainly(StepState& state, const protocol::StepDone& report, const StepContext& context);
// An error if the report is a worker's and the result may not be recorded.
Status check_if_of_worker(const protocol::StepDone& report, const StepResult& result);

// Sets what the run depends on, from its trace and from what ties its outputs to their surroundings.
void take_trace(StepState& state, const protocol::StepDone& report, const Relocatability& ties,
                const inputs::Sight& sight, const StepContext& context);

}  // namespace hipcache::daemon

#endif
