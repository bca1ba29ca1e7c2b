// What a run may show of its sources, from its command, its messages and its outputs.
#ifndef HIPCACHE_SRC_DAEMON_RECORD_SOURCE_SIGHT_H
#define HIPCACHE_SRC_DAEMON_RECORD_SOURCE_SIGHT_H

#include <string>
#include <vector>

#include "daemon/record/collected_output.h"
#include "hipcache/cache/action_cache.h"
#include "hipcache/inputs/sight.h"

namespace hipcache::daemon {

// `arguments`: of the compiler or its driver, with the program first. Messages show lines of the source, so a run that
// printed anything sees all bytes. So does one with an output that is neither a depfile, nor an object or bitcode
// without debug information.
inputs::Sight sight_of(const std::vector<std::string>& arguments, const std::vector<CollectedOutput>& outputs,
                       const cache::ActionResult& said);

}  // namespace hipcache::daemon

#endif
