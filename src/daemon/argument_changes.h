// What changed from one argument list to another: the longest common part stays, what stands between is told as it
// stands, arguments that follow each other together.
#ifndef HIPCACHE_DAEMON_ARGUMENT_CHANGES_H
#define HIPCACHE_DAEMON_ARGUMENT_CHANGES_H

#include <string>
#include <vector>

#include "hipcache/protocol/explanation.h"

namespace hipcache::daemon {

std::vector<protocol::Difference> compare_arguments(const std::vector<std::string>& now,
                                                    const std::vector<std::string>& then);

}  // namespace hipcache::daemon

#endif
