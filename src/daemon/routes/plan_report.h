// `hipcache --plan`: the steps of a command, their keys, and which of them are stored.
#ifndef HIPCACHE_SRC_DAEMON_ROUTES_PLAN_REPORT_H
#define HIPCACHE_SRC_DAEMON_ROUTES_PLAN_REPORT_H

#include "daemon/request/request_context.h"

namespace hipcache::daemon {

// Runs only the probe, and only if its result is not stored. A bundle or host step whose inputs are not stored has no
// key yet.
void report_plan(const RequestContext& context);

// Replies that the command passes through.
void report_not_cached(const compiler::Uncacheable& why, protocol::Channel& channel, const Services& services);

}  // namespace hipcache::daemon

#endif
