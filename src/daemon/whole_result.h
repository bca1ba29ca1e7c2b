// The request's own result, put together from its steps', and when it may be recorded.
#ifndef HIPCACHE_DAEMON_WHOLE_RESULT_H
#define HIPCACHE_DAEMON_WHOLE_RESULT_H

#include <optional>
#include <string>
#include <vector>

#include "daemon/request.h"
#include "daemon/request_directory.h"
#include "daemon/services.h"
#include "daemon/step_graph.h"
#include "hipcache/action/action_cache.h"

namespace hipcache::daemon {

// The outputs that have a place; messages of the driver and then of all steps, in the driver's order.
action::ActionResult whole_result(const StepGraph& graph, const std::string& driver_stderr, const Roots& roots);

// Whether a stored result has every output that the request will get, as far as the command line tells: object and
// depfile in their places; of outputs that the driver names, as many as there are devices. REQUIRES: the request
// outlives what is returned.
action::Suffices suffices_for(const Request& request);

// What the steps that can be recorded depend on. It agrees only if every step can be, and each still holds in the world
// in which the whole is to be recorded: a file that was edited while a later step ran must not become part of the
// earlier one's proof.
action::Examined examine_whole(const std::vector<const StepWork*>& probes, const StepGraph& graph,
                               const Request& request, const Services& services);

// Stores what is not stored yet of it, and records it if that agrees. Returns what was observed, if that is stored.
std::optional<action::Observed> record_whole(const action::ActionResult& whole, action::Examined examined,
                                             const StepGraph& graph, const Request& request, const Services& services);

// A name that some step wrote into the directory without being known to, or "".
std::string unexpected_file(const RequestDirectory& directory, const StepGraph& graph, const Services& services);

}  // namespace hipcache::daemon

#endif
