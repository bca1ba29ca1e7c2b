// Counts the steps of a request that was served by steps.
#ifndef HIPCACHE_SRC_DAEMON_REPLY_STEP_COUNTS_H
#define HIPCACHE_SRC_DAEMON_REPLY_STEP_COUNTS_H

#include "daemon/request/request_context.h"
#include "daemon/steps/step_graph.h"
#include "hipcache/stats/counters.h"

namespace hipcache::daemon {

// Counts the steps that were found or run. Also counts and logs back ends that the linker wrapper ran again.
void count_steps(const StepGraph& graph, const RequestContext& context);

// Whether all steps, some or none were found. A bundle of code objects that were found may have run in a hit: it
// compiles nothing, takes less than a round trip to a shared cache, and is not shared.
stats::Outcome outcome_of(const StepGraph& graph);

}  // namespace hipcache::daemon

#endif
