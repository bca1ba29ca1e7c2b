// The race guard over one whole run (docs/internals/proof.md, "The race guard").
#ifndef HIPCACHE_SRC_INPUTS_OBSERVE_RUN_GUARD_H
#define HIPCACHE_SRC_INPUTS_OBSERVE_RUN_GUARD_H

#include <optional>
#include <vector>

#include "hipcache/inputs/file_system_state.h"
#include "hipcache/inputs/path_set.h"
#include "hipcache/inputs/run.h"
#include "hipcache/inputs/run_context.h"
#include "inputs/observe/same_content.h"
#include "inputs/state/shared_stat_snapshot.h"

namespace hipcache::inputs {

// Why the run may have read something else than the state that `snapshot` was taken for. `got`: what it got at each
// path that counts.
std::optional<Refusal> guard(const std::vector<SameContent::Got>& got, const PathSet& set, const Run& run,
                             const RunContext& from, const SharedStatSnapshot& snapshot, FileSystemState& file_system);

}  // namespace hipcache::inputs

#endif
