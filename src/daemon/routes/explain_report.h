// `hipcache --explain`: for each step, whether it is stored, how it differs from the nearest stored compile, and what
// keeps its result on this machine.
#ifndef HIPCACHE_SRC_DAEMON_ROUTES_EXPLAIN_REPORT_H
#define HIPCACHE_SRC_DAEMON_ROUTES_EXPLAIN_REPORT_H

#include "daemon/request/request_context.h"
#include "hipcache/protocol/explanation.h"

namespace hipcache::daemon {

// Runs only the probe, and only if its result is not stored. The result is stored then.
void report_explanation(const RequestContext& context);

protocol::Explanation explain_passed_through(const compiler::Uncacheable& why);

}  // namespace hipcache::daemon

#endif
