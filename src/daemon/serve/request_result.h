// The request's own result, combined from its steps, and when it may be recorded.
#ifndef HIPCACHE_SRC_DAEMON_SERVE_REQUEST_RESULT_H
#define HIPCACHE_SRC_DAEMON_SERVE_REQUEST_RESULT_H

#include <optional>
#include <string>
#include <vector>

#include "daemon/request/request_context.h"
#include "daemon/run/step_graph.h"
#include "hipcache/cache/action_cache.h"
#include "hipcache/compiler/invocation.h"
#include "hipcache/stats/counters.h"

namespace hipcache::daemon {

// Checks what the steps of a request did, before the client is answered.

// Why the compiler has to run by itself: a step wrote a file that no command mentions, read the depfile that the
// request is about to write, or read a descriptor by name. Nothing if the steps did what the plan says.
std::optional<compiler::Uncacheable> unusual_run(const StepGraph& graph, const StepContext& context);

// Whether that reason is a file that the user would not get, and holds for the command's next run as well: no step
// failed or crashed.
bool loses_files(const compiler::Uncacheable& why, const StepState& step);
bool loses_files(const compiler::Uncacheable& why, const StepGraph& graph);

// Counts the steps of a request that was served by steps.

// Counts the steps that were found or run. Also counts and logs back ends that the linker wrapper ran again.
void count_steps(const StepGraph& graph, const RequestContext& context);

// Whether all steps, some or none were found. A bundle of code objects that were found may have run in a hit: it
// compiles nothing, takes less than a round trip to a shared cache, and is not shared.
stats::Outcome outcome_of(const StepGraph& graph);

// Whether a later step made the file of that place. Only of files that may be missing.
bool is_replaced(const hip::StepOutput& file, const StepState& step, const StepGraph& graph);

// The outputs that have a place, and the messages of the driver and then of all steps, in the driver's order.
cache::ActionResult request_result(const StepGraph& graph, const std::string& driver_stderr, const Roots& roots);

// Whether a stored result has every output that the request gets, as far as the command line tells. Object and depfile
// must be in their places. Of outputs that the driver names, there must be as many as devices. REQUIRES: the request
// outlives the result of this function.
cache::Suffices suffices_for(const Request& request);

// The stored result of the request, if it is valid now.
std::optional<cache::Hit> stored_result(const RequestContext& context);

// What the recordable steps depend on. It agrees only if every step is recordable and still holds in the state in which
// the request's result is recorded: a file edited while a later step ran must not become part of an earlier step's
// proof.
cache::Examined examine_request(const std::vector<const StepState*>& probes, const StepGraph& graph,
                                const RequestContext& context);

// Stores the outputs that are not stored yet, and records the result if `examined` agrees. Returns what was observed,
// if that is stored.
std::optional<cache::Observed> record_request(const cache::ActionResult& whole, cache::Examined examined,
                                              const StepGraph& graph, const RequestContext& context);

}  // namespace hipcache::daemon

#endif
