// Where a compile's outputs go, and what speaks against the cache's putting them there.
//
// The compiler replaces an object by temporary file and rename, and writes a depfile in place, once per frontend job:
// the first job's is there, whole, when the second starts. hipcache places both once, at the end. What could tell the
// two apart, and what the compiler treats in its own way (links, devices, read-only files), is left to the compiler.
#ifndef HIPCACHE_DAEMON_OUTPUT_PLACES_H
#define HIPCACHE_DAEMON_OUTPUT_PLACES_H

#include <optional>
#include <string>

#include "daemon/request.h"
#include "daemon/step_graph.h"
#include "hipcache/command/invocation.h"
#include "hipcache/plan/plan.h"

namespace hipcache::daemon {

// By a look at the places. Touches the file system.
std::optional<command::Uncacheable> unusual_outputs(const command::Invocation& invocation,
                                                    const std::string& working_directory);

// The same of all outputs of a stored result.
std::optional<command::Uncacheable> unusual_outputs(const action::ActionResult& whole, const Request& request);

// The same of all outputs of a plan, some of which the driver has named.
std::optional<command::Uncacheable> unusual_outputs(const plan::Plan& plan, const std::string& working_directory);

// By what the steps have read.
std::optional<command::Uncacheable> unusual_inputs(const StepGraph& graph, const Request& request);

}  // namespace hipcache::daemon

#endif
