// The questions about the roots themselves: asked if the result shows a root, or may depend on one unseen.
#ifndef HIPCACHE_SRC_INPUTS_OBSERVE_ROOT_QUESTIONS_H
#define HIPCACHE_SRC_INPUTS_OBSERVE_ROOT_QUESTIONS_H

#include <string>
#include <vector>

#include "hipcache/inputs/file_system_state.h"
#include "hipcache/inputs/path_set.h"
#include "hipcache/inputs/run.h"
#include "hipcache/inputs/run_context.h"

namespace hipcache::inputs {

class SourceUse;

struct RootTies {
  std::string asks_own_name;  // where the first file asks for its own name that ties the result to a root, or ""
  RootMask by_names = 0;      // roots that are asked about only because of such names
};

// Adds the questions. `use`: made of these observations. REQUIRES: the names in `observations` are not portable yet.
// `only_compilers`: no program ran that may take names apart, as a script may (asks_by_name). Then "/b.sources" in a
// file does not count as a mention of "/b".
RootTies add_root_questions(const RootReferences& ties, const SourceUse& use, const RunContext& from,
                            bool only_compilers, FileSystemState& file_system, std::vector<Observation>& observations);

}  // namespace hipcache::inputs

#endif
