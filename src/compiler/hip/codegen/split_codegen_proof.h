// The step that tests whether a compiler makes the same code object in two processes as in one (plan.h, Halves).
#ifndef HIPCACHE_COMPILER_HIP_CODEGEN_SPLIT_CODEGEN_PROOF_H
#define HIPCACHE_COMPILER_HIP_CODEGEN_SPLIT_CODEGEN_PROOF_H

#include <optional>

#include "hipcache/compiler/hip/plan.h"
#include "compiler/hip/jobs/plan_validator.h"

namespace hipcache::plan {

// The step's two outputs are the arguments of is_halves_proof(), in that order. Its commands have no macros, search
// paths, warnings, device libraries or CUID. Nothing if the command cannot be parsed without those. REQUIRES: the
// compile may be split (halves.h).
std::optional<Step> halves_proof(const DeviceJobs& device);

}  // namespace hipcache::plan

#endif
