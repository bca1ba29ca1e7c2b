// What every way to run a step (StepRun) does with the client's report: status, messages, trace.
#ifndef HIPCACHE_SRC_DAEMON_RUN_STEP_REPORT_H
#define HIPCACHE_SRC_DAEMON_RUN_STEP_REPORT_H

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/record/relocatability.h"
#include "daemon/request/request_context.h"
#include "daemon/step/step.h"
#include "hipcache/inputs/path_set_builder.h"
#include "hipcache/protocol/messages.h"
#include "hipcache/trace/record.h"

namespace hipcache::daemon {

// Whether a compiler's messages hold a crash report.
//
// The problem: LLVM's signal handler prints a report for SIGQUIT, SIGXFSZ and SIGXCPU, too, and returns. If another
// process sent the signal (a terminal's Ctrl-\, a limit, an operator), the compiler goes on (clang 15 and 19). The
// handler has removed the temporary output, if there was one, and then the compile fails. Before that it succeeds,
// with the right object, but with the report among its messages. The choice: such a success is not stored, because a
// hit would print the report again; after such a failure the compiler runs by itself. Rejected: cutting the report
// out, because its end is not marked.

// Looks for what LLVM begins a line with: the heading of PrettyStackTrace.cpp, or the first frame of Signals.inc. The
// heading is missing in a thread that has noted nothing to print, as lld's have.
inline bool holds_crash_report(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.starts_with("Stack dump:") || line.starts_with("#0 0x")) return true;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return false;
}

// The message that asks the client to run the step under the number `step`.
protocol::RunStep run_message(const StepSpec& spec, std::uint32_t step, const StepContext& context);

// The programs of the step's commands.
std::vector<std::string> programs_of(const StepSpec& spec);

// The programs that left a trace, and hipcache if one of them started it: hipcache is static and leaves none.
std::vector<std::string> ran_in(const trace::Trace& trace);

// Takes in how the run ended and what it printed. An error means that the run is unusable.
Status take_status(StepState& state, const protocol::StepDone& report, const StepContext& context);

// Takes in what the run printed: the second half of take_status().
Status take_texts(StepState& state, const protocol::StepDone& report, const RequestDirectory& directory);

// Of a run that failed: whether its failure may be the cache's fault.
void take_failure(StepState& state, const protocol::StepDone& report, const StepContext& context);

// The trace of the run. A missing or damaged trace becomes the step's refusal.
std::optional<std::vector<trace::Record>> records_of(StepState& state, std::uint32_t step, const StepContext& context);

// Sets what the run depends on, or why it proves nothing.
void take_witnessed(StepState& state, const trace::Trace& trace, inputs::Run run, const RequestContext& context);

// For a run that is not recorded: it is unusable if it read a descriptor by name.
void note_descriptor(StepState& state, const std::vector<trace::Record>& records, const RequestContext& context);

}  // namespace hipcache::daemon

#endif
