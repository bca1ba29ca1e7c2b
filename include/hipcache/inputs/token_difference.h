// What differs between the tokens of a source and those that an earlier answer was about.
//
// Answers are digests, which say only that something differs. So the tokens of sources are kept as short hashes, in the
// daemon's memory: of at most kMaxSketches sources, 2 bytes for each token. The next daemon has none.
#ifndef HIPCACHE_INPUTS_TOKEN_DIFFERENCE_H
#define HIPCACHE_INPUTS_TOKEN_DIFFERENCE_H

#include <string>

#include "hipcache/inputs/answer_fingerprints.h"
#include "hipcache/inputs/file_system_state.h"
#include "hipcache/inputs/path_set.h"
#include "hipcache/inputs/run_context.h"

namespace hipcache::inputs {

// For people: "token 812 (line 40) differs", "only lines moved, but CHECK leads to a line". `index`: of a question
// about tokens in the set; `was`: the earlier answer to it.
std::string token_difference(const PathSet& set, std::size_t index, const AnswerFingerprint& was,
                             const RunContext& from, FileSystemState& file_system);

}  // namespace hipcache::inputs

#endif
