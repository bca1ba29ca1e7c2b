// The host's compile beside the devices', and the fatbin put into its object afterwards (plan.h, HostApart): whether it
// may be done so, and doing it.
//
// A proof is a step like any other: looked up by what the compiler is, run by the client if it is not stored. One that
// fails, or cannot be stored, is not tried again by this daemon; then the host is compiled last, as the driver does.
//
// A proof is of a small source. An object of another source may still be one that no fatbin can be put into, by
// assembly in it for example. That unit's host is then compiled once more, after the devices and within the same
// request; this daemon compiles that unit's host last from then on. Other units are not concerned: what is doubted is
// the unit and not the proof.
#ifndef HIPCACHE_DAEMON_HOST_APART_H
#define HIPCACHE_DAEMON_HOST_APART_H

#include <vector>

#include "daemon/request.h"
#include "daemon/request_directory.h"
#include "daemon/services.h"
#include "daemon/step_graph.h"
#include "daemon/step_runner.h"
#include "hipcache/plan/plan.h"
#include "hipcache/protocol/channel.h"

namespace hipcache::daemon {

// The steps to run: those with the host apart if that is proved, else those in the driver's order. Has the client prove
// it if need be. What is returned is a part of the plan.
std::vector<plan::Step>& choose_steps(plan::Plan& plan, protocol::Channel& channel, const Request& request,
                                      const Services& services, store::Lease& lease);

// Makes the plan's steps those to run, by what is stored alone: for reports, which run nothing.
void put_host_apart_if_proved(plan::Plan& plan, const Request& request, const Services& services, store::Lease& lease);

// Puts the fatbin into the object that has a placeholder; what comes of it is not stored yet. An object without kernels
// and device variables is complete as it is. Where the fatbin cannot be put in, the host is run, or found, in the
// driver's order. Nothing is done where a step has failed. An error means that the request cannot go on.
Status fill_placeholders(StepGraph& graph, StepRunner& runner, const plan::Plan& plan, const Request& request,
                         const RequestDirectory& directory, const Services& services, store::Lease& lease);

}  // namespace hipcache::daemon

#endif
