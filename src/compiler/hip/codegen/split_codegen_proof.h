// The step that tests whether a compiler makes the same code object in two processes as in one (plan.h, SplitCodegen).
#ifndef HIPCACHE_SRC_COMPILER_HIP_CODEGEN_SPLIT_CODEGEN_PROOF_H
#define HIPCACHE_SRC_COMPILER_HIP_CODEGEN_SPLIT_CODEGEN_PROOF_H

#include <optional>

#include "compiler/hip/jobs/plan_validator.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::hip {

// The step's two outputs are the arguments of is_split_codegen_proof(), in that order. Its commands have no macros,
// search paths, warnings, device libraries or CUID. Nothing if the command cannot be parsed without those. REQUIRES:
// the compile may be split (split_codegen.h).
std::optional<Step> split_codegen_proof(const DeviceJobs& device);

}  // namespace hipcache::hip

#endif
