// The plain way to run a step of a plan: its commands, in the request's directory, with the outputs that the plan says.
// And what every way to run a step does with the client's report: status, messages, trace.
#ifndef HIPCACHE_SRC_DAEMON_RUN_PLAIN_RUN_H
#define HIPCACHE_SRC_DAEMON_RUN_PLAIN_RUN_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/request/request_context.h"
#include "daemon/request/step.h"
#include "daemon/run/collected_output.h"
#include "daemon/run/relocatability.h"
#include "hipcache/inputs/path_set_builder.h"
#include "hipcache/inputs/run.h"
#include "hipcache/protocol/messages.h"
#include "hipcache/trace/record.h"

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

// Whether a compiler's messages hold a crash report.
//
// The problem: LLVM's signal handler prints a report for SIGQUIT, SIGXFSZ and SIGXCPU, too, and returns. If another
// process sent the signal (a terminal's Ctrl-\, a limit, an operator), the compiler goes on (clang 15 and 19). The
// handler has removed the temporary output, if there was one, and then the compile fails. Before that it succeeds,
// with the right object, but with the report among its messages. The choice: such a success is not stored, because a
// hit would print the report again; after such a failure the compiler runs by itself. Rejected: cutting the report
// out, because its end is not marked.
//
// Looks for what LLVM begins a line with: the heading of PrettyStackTrace.cpp, or the first frame of Signals.inc. The
// heading is missing in a thread that has noted nothing to print, as lld's have.
bool holds_crash_report(std::string_view text);

// The message that asks the client to run the step under the number `step`.
protocol::RunStep run_message(const StepSpec& spec, std::uint32_t step, const StepContext& context);

// The programs of the step's commands.
std::vector<std::string> programs_of(const StepSpec& spec);

// The programs that left a trace, and hipcache if one of them started it: hipcache is static and leaves none.
std::vector<std::string> ran_in(const trace::Trace& trace);

// Takes in how the run ended and what it printed. An error means that the run is unusable.
Status take_status(StepState& state, const protocol::StepDone& report, const StepContext& context);

// Takes in what the run printed: the second half of take_status().
Status take_texts(StepState& state, const protocol::StepDone& report, const StepContext& context);

// Of a run that failed: whether its failure may be the cache's fault.
void take_failure(StepState& state, const protocol::StepDone& report, const StepContext& context);

// The trace of the run. A missing or damaged trace becomes the step's refusal.
std::optional<std::vector<trace::Record>> records_of(StepState& state, std::uint32_t step, const StepContext& context);

// Sets what the run depends on, or why it proves nothing.
void take_witnessed(StepState& state, const trace::Trace& trace, inputs::Run run, const RequestContext& context);

// For a run that is not recorded: it is unusable if it read a descriptor by name.
void note_descriptor(StepState& state, const std::vector<trace::Record>& records, const RequestContext& context);

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
