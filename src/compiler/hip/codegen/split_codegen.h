// Splits the code generation of a device compile into a front end and a back end run (plan.h, SplitCodegen).
#ifndef HIPCACHE_SRC_COMPILER_HIP_CODEGEN_SPLIT_CODEGEN_H
#define HIPCACHE_SRC_COMPILER_HIP_CODEGEN_SPLIT_CODEGEN_H

#include <optional>

#include "compiler/hip/codegen/split_codegen_commands.h"
#include "compiler/hip/jobs/plan_validator.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::hip {

// Nothing for a compile that
//   - is not optimised;
//   - has debug information: it holds line numbers and a digest of the source, so an edit that changes no code would
//     miss;
//   - asks for the optimiser's remarks, which name lines, too;
//   - hides names in its output;
//   - leaves optimisation to the linker;
//   - has an option that is not known to affect both ways of compiling equally.
std::optional<SplitCodegen> split_codegen_of(const DeviceJobs& device, const SplitCodegenNames& names);

}  // namespace hipcache::hip

#endif
