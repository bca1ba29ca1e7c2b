// How many units like this one the build has before it, as the build's own description says.
//
// The problem: a wrapper header (shared/preambles.h) pays if enough jobs with the same options follow, and a job shows
// only itself. The choice: CMake writes down all objects of a build (build.ninja, each target's build.make). If none of
// them is there yet, the build begins with this one, and will make them all. Rejected: compile_commands.json, which
// most projects do not export; counting what is missing in a build that has begun before, because a shared cache may
// have the rest.
//
// It is an estimate. A wrong one costs a build the time of a header, never a result.
#ifndef HIPCACHE_SRC_DAEMON_RUN_UNITS_TO_COME_H
#define HIPCACHE_SRC_DAEMON_RUN_UNITS_TO_COME_H

#include <cstddef>
#include <string>
#include <vector>

#include "daemon/request/request_context.h"

namespace hipcache::daemon {

// The units that will find a header which this one begins to make, itself included; 0 if nothing tells, or if the build
// has begun before. Those that others of the build compile meanwhile are not among them. Reads a file of some
// megabytes.
std::size_t units_to_come(const RequestContext& context);

// Of a build that makes this object (the name as in the command) and none of its like before: how many there are.
// `command`: the words of the build tool, which may ask for single objects; then 0.
std::size_t objects_to_come(const std::string& object, const std::string& working_directory,
                            const std::vector<std::string>& command);

}  // namespace hipcache::daemon

#endif
