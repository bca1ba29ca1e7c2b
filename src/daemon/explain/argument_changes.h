// Compares two argument lists. The longest common subsequence is unchanged; each run of arguments between its parts is
// reported as one difference.
#ifndef HIPCACHE_SRC_DAEMON_EXPLAIN_ARGUMENT_CHANGES_H
#define HIPCACHE_SRC_DAEMON_EXPLAIN_ARGUMENT_CHANGES_H

#include <string>
#include <vector>

#include "hipcache/protocol/explanation.h"

namespace hipcache::daemon {

std::vector<protocol::Difference> compare_arguments(const std::vector<std::string>& now,
                                                    const std::vector<std::string>& then);

}  // namespace hipcache::daemon

#endif
