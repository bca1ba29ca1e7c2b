// A request in the form of the miss history.
#ifndef HIPCACHE_SRC_DAEMON_EXPLAIN_REQUEST_HISTORY_H
#define HIPCACHE_SRC_DAEMON_EXPLAIN_REQUEST_HISTORY_H

#include <vector>

#include "daemon/request/request_context.h"
#include "daemon/steps/step_state.h"
#include "hipcache/cache/miss_history.h"

namespace hipcache::daemon {

cache::Asked asked_by(const Request& request);

// Keeps, for explaining a later miss, what was asked, these steps, and what all of them observed.
void record_history(const cache::Observed& observed, const std::vector<const StepState*>& steps,
                    const RequestContext& context);

}  // namespace hipcache::daemon

#endif
