// Takes in what the client's run of a step left: messages, outputs, trace.
#ifndef HIPCACHE_SRC_DAEMON_RUN_STEP_REPORT_H
#define HIPCACHE_SRC_DAEMON_RUN_STEP_REPORT_H

#include <optional>
#include <vector>

#include "daemon/record/relocatability.h"
#include "daemon/request/request_directory.h"
#include "daemon/step/step.h"
#include "hipcache/inputs/path_set_builder.h"
#include "hipcache/protocol/messages.h"
#include "hipcache/trace/record.h"

namespace hipcache::daemon {

// The message that asks the client to run the step under the number `step`.
protocol::RunStep run_message(const StepSpec& spec, std::uint32_t step, const StepContext& context);

// Takes in the run, and stores the result if it may be stored. An error means that the run is unusable (it could not
// start, or its outputs are missing).
Status take_in(StepState& state, const protocol::StepDone& report, const StepContext& context);

// Takes in what the run printed.
Status take_texts(StepState& state, const protocol::StepDone& report, const RequestDirectory& directory);

// Sets what the run depends on, from its trace and from what ties its outputs to their surroundings.
void take_trace(StepState& state, const protocol::StepDone& report, const Relocatability& ties,
                const inputs::Sight& sight, const StepContext& context);

// The trace of the run. A missing or damaged trace becomes the step's refusal.
std::optional<std::vector<trace::Record>> records_of(StepState& state, std::uint32_t step, const StepContext& context);

// Sets what the run depends on, or why it proves nothing.
void take_witnessed(StepState& state, const trace::Trace& trace, const inputs::Run& run, const RequestContext& context);

// For a run that is not recorded: sets the descriptor that it read by name, if any.
void note_descriptor(StepState& state, const std::vector<trace::Record>& records, const RequestContext& context);

}  // namespace hipcache::daemon

#endif
