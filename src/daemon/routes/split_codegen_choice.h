// Decides which device steps of a request may run with split code generation (split_codegen_run.h).
#ifndef HIPCACHE_SRC_DAEMON_ROUTES_SPLIT_CODEGEN_CHOICE_H
#define HIPCACHE_SRC_DAEMON_ROUTES_SPLIT_CODEGEN_CHOICE_H

#include <vector>

#include "daemon/request/request_context.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::daemon {

// Removes `split_codegen` from steps whose compiler has no proof, or for which the split does not pay. If a step that
// will run lacks a proof, the client runs the proof.
void drop_unproved_splits(std::vector<hip::Step>& steps, const RequestContext& context);

}  // namespace hipcache::daemon

#endif
