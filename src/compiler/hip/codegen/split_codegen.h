// Splits the code generation of a device compile into a front end and a back end run (plan.h, SplitCodegen).
#ifndef HIPCACHE_SRC_COMPILER_HIP_CODEGEN_SPLIT_CODEGEN_H
#define HIPCACHE_SRC_COMPILER_HIP_CODEGEN_SPLIT_CODEGEN_H

#include <optional>
#include <string>
#include <vector>

#include "compiler/hip/jobs/plan_validator.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::hip {

// The paths of the intermediate files: arguments, with kDirectory.
struct SplitCodegenNames {
  std::string bitcode;
  std::string object;
  std::string beside;  // a side file's name without its extension
  std::string code_object;
};

// Makes the commands `front`, `back` and `both`, but not the proof. REQUIRES: split_codegen_of() found that the compile
// may be split.
SplitCodegen split_codegen_commands(const DeviceJobs& device, const SplitCodegenNames& names);

// Runs all by one start of the compiler (src/trace/preload/then.c). The trace records what the first command reads.
// REQUIRES: all run the same program.
StepCommand in_one_start(const std::vector<StepCommand>& commands);

// The same, if the compile may be split. Nothing for a compile that
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
