// Compares two argument lists, unit by unit: an option with its value is one unit, as people think of them. The longest
// common subsequence is unchanged; each run of arguments between its parts is reported as one difference. A unit that
// both lists have in different places has moved.
#ifndef HIPCACHE_SRC_DAEMON_EXPLAIN_ARGUMENT_CHANGES_H
#define HIPCACHE_SRC_DAEMON_EXPLAIN_ARGUMENT_CHANGES_H

#include <string>
#include <vector>

#include "hipcache/protocol/explanation.h"

namespace hipcache::daemon {

// "-D X=1" is one unit, and so is each target of a bundler's "-targets=a,b". Leaves out what hipcache put in the place
// of names that do not count ("<output>"), and the option in front of it: no user typed that.
std::vector<std::string> units_of(const std::vector<std::string>& arguments);

std::vector<protocol::Difference> compare_arguments(const std::vector<std::string>& now,
                                                    const std::vector<std::string>& then);

}  // namespace hipcache::daemon

#endif
