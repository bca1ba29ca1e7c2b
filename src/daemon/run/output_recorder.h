// Puts the outputs of a run into the store, and records results.
#ifndef HIPCACHE_SRC_DAEMON_RUN_OUTPUT_RECORDER_H
#define HIPCACHE_SRC_DAEMON_RUN_OUTPUT_RECORDER_H

#include <string>
#include <vector>

#include "daemon/request/request_context.h"
#include "daemon/request/step.h"
#include "daemon/run/collected_output.h"

namespace hipcache::daemon {

// Adds the outputs to the step's result. Then stores the outputs and records the result under the step's key; false if
// the step's refusal forbids it. If the step is audited, compares the result with what is stored instead of recording
// it.
bool keep(StepState& state, std::vector<CollectedOutput> outputs, const RequestContext& context);

// Compares the failure of an audited step with what is stored. REQUIRES: the step has ended and failed.
void audit_failure(StepState& state, const RequestContext& context);

// Records a result of several runs, whose outputs are stored. If a file that one run read has changed meanwhile, the
// step's refusal says so.
void record_together(StepState& state, const std::vector<inputs::Witnessed>& runs, const RequestContext& context);

// Counts and logs that the step's result is not stored, with the request's output and the file that is the reason.
void note_not_stored(const StepState& state, const RequestContext& context);

// Sets the result's `filled` to the user's object, in which the fatbin replaces the placeholder. store_filled() stores
// it if the step could be recorded.
void take_filled(StepState& state, const hip::StepOutput& file, const Digest& fatbin, std::string bytes,
                 store::Lease& lease);
void store_filled(StepState& state, const RequestContext& context);

}  // namespace hipcache::daemon

#endif
