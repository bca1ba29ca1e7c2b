// Decides which device steps of a request run with split code generation (split_codegen_run.h).
#ifndef HIPCACHE_SRC_DAEMON_ROUTES_SPLIT_CODEGEN_CHOICE_H
#define HIPCACHE_SRC_DAEMON_ROUTES_SPLIT_CODEGEN_CHOICE_H

#include <vector>

#include "daemon/request/request_context.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::daemon {

// Sets `runs_as_one` for steps whose split is not expected to pay (worth/split_codegen_ledger.h); their time is still
// measured. Removes `split_codegen` from steps that may not be split: their compiler has no proof, they are stored, or
// the cache is read-only or renewed. If a step that is to be split lacks a proof, the client runs the proof.
void choose_codegen_splits(std::vector<hip::Step>& steps, const RequestContext& context);

}  // namespace hipcache::daemon

#endif
