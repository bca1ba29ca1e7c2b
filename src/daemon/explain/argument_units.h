// Command lines in the units that people think in: an option with its value is one unit.
#ifndef HIPCACHE_SRC_DAEMON_EXPLAIN_ARGUMENT_UNITS_H
#define HIPCACHE_SRC_DAEMON_EXPLAIN_ARGUMENT_UNITS_H

#include <string>
#include <vector>

namespace hipcache::daemon {

// "-D X=1" is one unit, and so is each target of a bundler's "-targets=a,b". Leaves out what hipcache put in the place
// of names that do not count ("<output>"), and the option in front of it: no user typed that.
std::vector<std::string> units_of(const std::vector<std::string>& arguments);

}  // namespace hipcache::daemon

#endif
