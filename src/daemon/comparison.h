// What differs between a compile and one that is stored: as pure functions, so that every kind of difference can be
// tried without a compiler.
#ifndef HIPCACHE_DAEMON_COMPARISON_H
#define HIPCACHE_DAEMON_COMPARISON_H

#include <cstddef>
#include <string>
#include <vector>

#include "hipcache/action/history.h"
#include "hipcache/inputs/path_set.h"
#include "hipcache/inputs/told.h"
#include "hipcache/protocol/explanation.h"

namespace hipcache::daemon {

using Differences = std::vector<protocol::Difference>;

// A difference, and which observation of the set it is of; past the last one: of all together.
struct ObservedDifference {
  std::size_t index = 0;
  protocol::Difference difference;
};

Differences compare_asked(const action::Asked& now, const action::Asked& then);

// REQUIRES: both are answers to `set`.
std::vector<ObservedDifference> compare_answers(const inputs::PathSet& set, const inputs::Answered& now,
                                                const inputs::Answered& then);

// Programs, arguments and, where both have as many, inputs; `makers` names the steps that made these.
Differences compare_steps(const action::TrailStep& now, const action::TrailStep& then,
                          const std::vector<std::string>& makers);

// Those that are of observations in `part`; all of them if it is not known.
Differences within(const inputs::PathSet* part, const inputs::PathSet& set,
                   const std::vector<ObservedDifference>& differences);

// Where a variable differs, arguments that the driver made may tell its value (CPATH becomes -I): of those
// not in the command as typed, now or then, it is said only that they differ.
Differences without_values(Differences differences, const action::Asked& now, const action::Asked& then);

// In the order of their kinds, each once.
void put_in_order(Differences& differences);

}  // namespace hipcache::daemon

#endif
