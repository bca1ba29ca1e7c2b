// Compares two argument lists, unit by unit (argument_units.h). The longest common subsequence is unchanged; each run
// of arguments between its parts is reported as one difference. A unit that both lists have in different places has
// moved.
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
