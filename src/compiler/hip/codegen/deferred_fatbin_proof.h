// The step that tests whether a compiler writes the same host object around any fatbin (plan.h, DeferredFatbin).
#ifndef HIPCACHE_SRC_COMPILER_HIP_CODEGEN_DEFERRED_FATBIN_PROOF_H
#define HIPCACHE_SRC_COMPILER_HIP_CODEGEN_DEFERRED_FATBIN_PROOF_H

#include "compiler/hip/jobs/frontend_job.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::hip {

// The step's two outputs are the arguments of is_deferred_fatbin_proof(), in that order. REQUIRES: the job includes a
// fatbin and makes an object.
Step deferred_fatbin_proof(const FrontendJob& host);

}  // namespace hipcache::hip

#endif
