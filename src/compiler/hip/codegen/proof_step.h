// Steps that compile a small built-in source in two ways, to test whether a compiler makes the same of both.
#ifndef HIPCACHE_SRC_COMPILER_HIP_CODEGEN_PROOF_STEP_H
#define HIPCACHE_SRC_COMPILER_HIP_CODEGEN_PROOF_STEP_H

#include <vector>

#include "compiler/hip/jobs/frontend_job.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::hip {

// The name of the source in the request's directory.
inline constexpr const char* kProofSource = "proof.hip";

// Whether an argument does not affect a proof's code, or differs between the sources of a project. Proofs leave it out.
// Otherwise each source would need a proof of its own.
bool is_of_project(compiler::Cc1Role role);

// The step without its outputs. Its key has the commands and the source's text.
Step proof_step(StepKind kind, std::vector<StepCommand> commands, const char* source);

}  // namespace hipcache::hip

#endif
