// The host's compile beside the devices', and the fatbin put into its object afterwards (plan.h, HostApart): whether it
// may be done so, and doing it.
//
// A proof is a step like any other: looked up by what the compiler is, run by the client if it is not stored. One that
// fails, or cannot be stored, is not tried again by this daemon; then the host is compiled last, as the driver does.
#ifndef HIPCACHE_DAEMON_HOST_APART_H
#define HIPCACHE_DAEMON_HOST_APART_H

#include "daemon/request.h"
#include "daemon/request_directory.h"
#include "daemon/services.h"
#include "daemon/step_graph.h"
#include "hipcache/plan/plan.h"
#include "hipcache/protocol/channel.h"

namespace hipcache::daemon {

// Makes the plan's steps those with the host apart, if that is proved; has the client prove it if need be.
void put_host_apart(plan::Plan& plan, protocol::Channel& channel, const Request& request, const Services& services,
                    store::Lease& lease);

// The same by what is stored alone: for reports, which run nothing.
void put_host_apart_if_proved(plan::Plan& plan, const Request& request, const Services& services, store::Lease& lease);

// Puts the fatbins into the objects that have a placeholder; those are not stored yet. REQUIRES: all steps succeeded.
// An error says that an object is not as the proof had it; the plan's proof is then doubted from here on.
Status fill_placeholders(const StepGraph& graph, const plan::Plan& plan, const Request& request,
                         const RequestDirectory& directory, const Services& services, store::Lease& lease);

}  // namespace hipcache::daemon

#endif
