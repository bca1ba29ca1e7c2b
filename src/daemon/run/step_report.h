// What every way to run a step (step_run.h) does with the client's report: status, messages, trace.
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

// The programs of the step's commands.
std::vector<std::string> programs_of(const StepSpec& spec);

// Takes in how the run ended and what it printed. An error means that the run is unusable.
Status take_status(StepState& state, const protocol::StepDone& report, const StepContext& context);

// Takes in what the run printed: the second half of take_status().
Status take_texts(StepState& state, const protocol::StepDone& report, const RequestDirectory& directory);

// Of a run that failed: whether its failure may be the cache's fault.
void take_failure(StepState& state, const protocol::StepDone& report, const StepContext& context);

// The trace of the run. A missing or damaged trace becomes the step's refusal.
std::optional<std::vector<trace::Record>> records_of(StepState& state, std::uint32_t step, const StepContext& context);

// Sets what the run depends on, or why it proves nothing.
void take_witnessed(StepState& state, const trace::Trace& trace, const inputs::Run& run, const RequestContext& context);

// For a run that is not recorded: sets the descriptor that it read by name, if any.
void note_descriptor(StepState& state, const std::vector<trace::Record>& records, const RequestContext& context);

}  // namespace hipcache::daemon

#endif
