// `hipcache --plan`: the steps of a command, their keys, and which of them are stored.
#ifndef HIPCACHE_SRC_DAEMON_ROUTES_PLAN_REPORT_H
#define HIPCACHE_SRC_DAEMON_ROUTES_PLAN_REPORT_H

#include "daemon/request/request_context.h"

namespace hipcache::daemon {

// Runs only the probe, and only if its result is not stored. A bundle or host step whose inputs are not stored has no
// key yet.
void report_plan(const RequestContext& context);

}  // namespace hipcache::daemon

#endif
