// The ties of a path set: the questions whose present answers another machine or directory does not give.
#ifndef HIPCACHE_SRC_DAEMON_EXPLAIN_INPUT_TIES_H
#define HIPCACHE_SRC_DAEMON_EXPLAIN_INPUT_TIES_H

#include <string>
#include <utility>
#include <vector>

#include "daemon/explain/tie_list.h"
#include "daemon/request/request_context.h"
#include "daemon/step/step.h"
#include "hipcache/inputs/answer_fingerprints.h"
#include "hipcache/inputs/file_system_state.h"
#include "hipcache/inputs/path_set.h"
#include "hipcache/inputs/run_context.h"

namespace hipcache::daemon {

// Files of equal content that a compiler may take for one file.
//
// gcc takes two files of equal content and one modification time for one (#pragma once); clang, two names of one inode.
// So the state holds which names are one in either way (docs/internals/proof.md, "Identities"). A checkout on another
// machine gives files other times, and makes two files of hard links.

// Pairs of absolute paths that are two places, not a link and its target. Each file is in a pair with the first one
// that is like it. REQUIRES: `answered` are the answers to `set`.
std::vector<std::pair<std::string, std::string>> files_taken_for_one(const inputs::PathSet& set,
                                                                     const inputs::Answered& answered,
                                                                     const inputs::RunContext& from,
                                                                     inputs::FileSystemState& file_system);

void add_input_ties(const inputs::PathSet& set, const StepSpec& spec, const RequestContext& context, TieList& ties);

}  // namespace hipcache::daemon

#endif
