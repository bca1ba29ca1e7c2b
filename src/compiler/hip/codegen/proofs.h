// Steps that compile a small built-in source in two ways, to test whether a compiler makes the same of both.
#ifndef HIPCACHE_SRC_COMPILER_HIP_CODEGEN_PROOFS_H
#define HIPCACHE_SRC_COMPILER_HIP_CODEGEN_PROOFS_H

#include <optional>
#include <vector>

#include "compiler/hip/jobs/frontend_job.h"
#include "compiler/hip/jobs/plan_validator.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::hip {

// The step that tests whether a compiler writes the same host object around any fatbin (plan.h, DeferredFatbin).

// The step's two outputs are the arguments of is_deferred_fatbin_proof(), in that order. REQUIRES: the job includes a
// fatbin and makes an object.
Step deferred_fatbin_proof(const FrontendJob& host);

// The step that tests whether a compiler makes the same code object in two processes as in one (plan.h, SplitCodegen).

// The step's two outputs are the arguments of is_split_codegen_proof(), in that order. Its commands have no macros,
// search paths, warnings, device libraries or CUID. Nothing if the command cannot be parsed without those. REQUIRES:
// the compile may be split (split_codegen.h).
std::optional<Step> split_codegen_proof(const DeviceJobs& device);

}  // namespace hipcache::hip

#endif
