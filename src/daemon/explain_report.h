// `hipcache --explain`: per step, whether it is stored, and what differs from the nearest compile that is.
#ifndef HIPCACHE_DAEMON_EXPLAIN_REPORT_H
#define HIPCACHE_DAEMON_EXPLAIN_REPORT_H

#include "daemon/request.h"
#include "daemon/services.h"
#include "hipcache/protocol/channel.h"

namespace hipcache::daemon {

// Runs nothing but the probe, and that only if its result is not stored; it is then.
void report_explanation(protocol::Channel& channel, const Request& request, const Services& services,
                        store::Lease& lease);

protocol::Explanation explain_passed_through(const command::Uncacheable& why);

}  // namespace hipcache::daemon

#endif
