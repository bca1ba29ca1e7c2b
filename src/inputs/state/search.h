// Programs that are looked for along PATH.
//
// A trace has the places of one search, along one PATH. Along another PATH, the program may be in a directory where the
// run did not look. So the question is where PATH finds the program's name. Rejected: PATH's value as an input. It
// differs from shell to shell, and hardly ever changes which program is found.
#ifndef HIPCACHE_SRC_INPUTS_STATE_SEARCH_H
#define HIPCACHE_SRC_INPUTS_STATE_SEARCH_H

#include <cstdint>
#include <string>
#include <vector>

#include "hipcache/inputs/file_system_state.h"
#include "hipcache/inputs/path_set.h"
#include "hipcache/trace/record.h"
#include "inputs/state/path_table.h"
#include "inputs/state/stat_snapshot.h"

namespace hipcache::inputs {

// A search begins in PATH's first directory, so every name that was looked for there gets a question. A few names too
// many do no harm.
void add_search_questions(const trace::Trace& trace, const RunContext& from, std::vector<Observation>& out);

// The paths where the program may be, in PATH's order.
std::vector<std::string> places_on_path(const std::string& program, const RunContext& from);

// The first program in a list of `PathOrder::places` that begins at `places`; "" if there is none.
std::string found_on_path(const PathOrder& order, std::uint32_t places, StatSnapshot& glance, Effort& effort);

}  // namespace hipcache::inputs

#endif
