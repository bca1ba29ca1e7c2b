// What keeps a step's result from serving other machines, or other directories (hipcache/protocol/explanation.h).
//
// Two things decide whether another machine finds a result: the key, which says what is run, and the path set, which
// asks about the inputs. Here each part of a key (request/keys.cpp) and each question (inputs/path_set.h) is judged by
// its present text or answer: whether another machine with the same packages, compilers and sources has the same one.
// docs/remote.md has the table.
//
// An answer that a file is absent travels: it is absent elsewhere, too. What lies in a root, or has a relative name,
// travels. So a compile that travels has no tie.
//
// The keys of the request and of the driver's probe name the working directory, and the plan is full of absolute names.
// So the probe has no ties to the directory: elsewhere the driver is asked again, which costs no compile.
#ifndef HIPCACHE_SRC_DAEMON_EXPLAIN_TIES_H
#define HIPCACHE_SRC_DAEMON_EXPLAIN_TIES_H

#include <vector>

#include "daemon/request/request_context.h"
#include "daemon/step/step.h"
#include "hipcache/cache/action_cache.h"
#include "hipcache/inputs/path_set.h"
#include "hipcache/protocol/explanation.h"

namespace hipcache::daemon {

// `set`: of the step's result, or of an earlier one with the same key; null: no result is known, and then there are no
// ties. `outputs`: of an opaque compile; may be empty. Asks the file system for the present answers.
std::vector<protocol::Tie> ties_of(const StepSpec& spec, const inputs::PathSet* set,
                                   const std::vector<cache::Output>& outputs, const RequestContext& context);

}  // namespace hipcache::daemon

#endif
