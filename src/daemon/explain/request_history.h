// A request in the form of the miss history.
#ifndef HIPCACHE_SRC_DAEMON_EXPLAIN_REQUEST_HISTORY_H
#define HIPCACHE_SRC_DAEMON_EXPLAIN_REQUEST_HISTORY_H

#include "daemon/request/request.h"
#include "daemon/request/services.h"
#include "daemon/routes/planner.h"
#include "daemon/steps/step_graph.h"
#include "daemon/steps/step_state.h"
#include "hipcache/cache/miss_history.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::daemon {

cache::Asked asked_by(const Request& request);

// The step in the form of its key. `planned` is null for the probe and for an opaque compile, whose arguments are the
// request's.
cache::HistoryStep history_step(const StepState& work, const hip::Step* planned, const inputs::RunContext& from);

// The probes (of the driver, and of the linker wrapper), and all steps of the graph. REQUIRES: all steps succeeded.
std::vector<cache::HistoryStep> history_steps(const Planned& planned, const StepGraph& graph, const Request& request);

void record_history(const cache::Observed& observed, std::vector<cache::HistoryStep> steps, const Request& request,
                    const Services& services);

}  // namespace hipcache::daemon

#endif
