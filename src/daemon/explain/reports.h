// `hipcache --explain`: for each step, whether it is stored, how it differs from the nearest stored compile, and what
// keeps its result on this machine.
#ifndef HIPCACHE_SRC_DAEMON_EXPLAIN_REPORTS_H
#define HIPCACHE_SRC_DAEMON_EXPLAIN_REPORTS_H

#include "daemon/request/request_context.h"

namespace hipcache::daemon {

// `hipcache --plan`: the steps of a command, their keys, and which of them are stored.

// Runs only the probe, and only if its result is not stored. A bundle or host step whose inputs are not stored has no
// key yet.
void report_plan(const RequestContext& context);

// Runs only the probe, and only if its result is not stored. The result is stored then.
void report_explanation(const RequestContext& context);

// Replies to either question that the command passes through.
void report_not_cached(const compiler::Uncacheable& why, bool plan_only, protocol::Channel& channel,
                       const Services& services);

}  // namespace hipcache::daemon

#endif
