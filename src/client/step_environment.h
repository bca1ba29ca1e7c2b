// The environment of a step's commands: ours, with the trace library preloaded and the temporary directory set.
#ifndef HIPCACHE_SRC_CLIENT_STEP_ENVIRONMENT_H
#define HIPCACHE_SRC_CLIENT_STEP_ENVIRONMENT_H

#include <string>
#include <vector>

#include "hipcache/protocol/messages.h"

namespace hipcache::client {

std::vector<std::string> step_environment(const std::vector<std::string>& ours, const protocol::RunStep& step);

}  // namespace hipcache::client

#endif
