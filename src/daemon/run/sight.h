// What a run shows of the sources that it read, from its command, its messages and its outputs.
#ifndef HIPCACHE_SRC_DAEMON_RUN_SIGHT_H
#define HIPCACHE_SRC_DAEMON_RUN_SIGHT_H

#include <string>
#include <vector>

#include "daemon/run/collected_output.h"
#include "hipcache/cache/action_cache.h"
#include "hipcache/inputs/run.h"
#include "hipcache/inputs/run_context.h"

namespace hipcache::daemon {

// `arguments`: of the compiler or its driver, with the program first. A run whose messages were not judged
// (messages.h) sees all bytes. So does one with an output that is neither a depfile, nor an object or bitcode that was
// judged. Reads the libraries of bitcode that the command links, if an output has inline assembly.
inputs::Sight sight_of(const std::vector<std::string>& arguments, const std::vector<CollectedOutput>& outputs,
                       const cache::ActionResult& said, const inputs::RunContext& from);

}  // namespace hipcache::daemon

#endif
