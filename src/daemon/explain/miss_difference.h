// Compares a compile with a stored one. The functions are pure, so that tests can try every kind of difference without
// a compiler.
#ifndef HIPCACHE_SRC_DAEMON_EXPLAIN_MISS_DIFFERENCE_H
#define HIPCACHE_SRC_DAEMON_EXPLAIN_MISS_DIFFERENCE_H

#include <cstddef>
#include <string>
#include <vector>

#include "hipcache/cache/miss_history.h"
#include "hipcache/inputs/answer_fingerprints.h"
#include "hipcache/inputs/path_set.h"
#include "hipcache/protocol/explanation.h"

namespace hipcache::daemon {

using Differences = std::vector<protocol::Difference>;

// A difference, and the index of its observation in the set; an index past the end means all observations together.
struct ObservedDifference {
  std::size_t index = 0;
  protocol::Difference difference;
};

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
