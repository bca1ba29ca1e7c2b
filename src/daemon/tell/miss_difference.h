// Compares a compile with a stored one. The functions are pure, so that tests can try every kind of difference without
// a compiler.
#ifndef HIPCACHE_SRC_DAEMON_TELL_MISS_DIFFERENCE_H
#define HIPCACHE_SRC_DAEMON_TELL_MISS_DIFFERENCE_H

#include <cstddef>
#include <string>
#include <vector>

#include "hipcache/cache/miss_history.h"
#include "hipcache/inputs/answer_fingerprints.h"
#include "hipcache/inputs/path_set.h"
#include "hipcache/protocol/explanation.h"

namespace hipcache::daemon {

using Differences = std::vector<protocol::Difference>;

// In the place of a name, of a question that asks for all macros or variables.
inline constexpr const char* kOneOfAll = "(one of all)";

// A difference, and the index of its observation in the set; an index past the end means all observations together.
struct ObservedDifference {
  std::size_t index = 0;
  protocol::Difference difference;
};

// The arguments in units: an option with its value is one. "-D X=1" is one unit, and so is each target of a bundler's
// "-targets=a,b". Leaves out what hipcache put in the place of names that do not count ("<output>"), and the option in
// front of it: no user typed that.
std::vector<std::string> units_of(const std::vector<std::string>& arguments);

// Compares two argument lists, unit by unit, as people think of them. The longest common subsequence is unchanged; each
// run of arguments between its parts is reported as one difference. A unit that both lists have in different places has
// moved.
Differences compare_arguments(const std::vector<std::string>& now, const std::vector<std::string>& then);

Differences compare_requests(const cache::HistoryRequest& now, const cache::HistoryRequest& then);

// REQUIRES: both are answers to `set`.
std::vector<ObservedDifference> compare_answers(const inputs::PathSet& set, const inputs::Answered& now,
                                                const inputs::Answered& then);

// Compares programs, arguments and, if both have equally many, inputs. `makers` names the steps that made these.
Differences compare_steps(const cache::HistoryStep& now, const cache::HistoryStep& then,
                          const std::vector<std::string>& makers);

// The differences of observations in `part`, or all differences if `part` is null.
Differences within(const inputs::PathSet* part, const inputs::PathSet& set,
                   const std::vector<ObservedDifference>& differences);

// Hides values of environment variables. If a variable differs, the driver may have put its value into arguments (CPATH
// becomes -I). Arguments in neither command as typed are replaced by one difference without a value.
Differences without_values(Differences differences, const cache::HistoryRequest& now,
                           const cache::HistoryRequest& then);

// Sorts the differences by kind and removes duplicates.
void put_in_order(Differences& differences);

}  // namespace hipcache::daemon

#endif
