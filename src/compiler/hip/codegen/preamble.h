// The wrapper header, parsed once (plan.h, Preamble): which jobs may use it, and how it is made.
#ifndef HIPCACHE_SRC_COMPILER_HIP_CODEGEN_PREAMBLE_H
#define HIPCACHE_SRC_COMPILER_HIP_CODEGEN_PREAMBLE_H

#include <optional>
#include <string>

#include "compiler/hip/jobs/frontend_job.h"
#include "hipcache/compiler/hip/plan.h"
#include "hipcache/compiler/invocation.h"

namespace hipcache::hip {

// Nothing if the job does not read the wrapper header. `arch`: of a device; empty for the host. `stem`: how the names
// of its files begin. `lists_files`: whether the job's depfile is an output of its step.
std::optional<Preamble> preamble_of(const FrontendJob& job, const compiler::ArchId& arch, const std::string& stem,
                                    bool lists_files);

}  // namespace hipcache::hip

#endif
