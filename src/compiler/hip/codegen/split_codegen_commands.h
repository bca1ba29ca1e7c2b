// The commands of a device compile with split code generation (plan.h, SplitCodegen).
#ifndef HIPCACHE_SRC_COMPILER_HIP_CODEGEN_SPLIT_CODEGEN_COMMANDS_H
#define HIPCACHE_SRC_COMPILER_HIP_CODEGEN_SPLIT_CODEGEN_COMMANDS_H

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

// Makes the commands `front`, `back` and `both`, but not the proof. REQUIRES: the compile may be split
// (split_codegen.h).
SplitCodegen split_codegen_commands(const DeviceJobs& device, const SplitCodegenNames& names);

// Runs all three by one start of the compiler (src/trace/preload/then.c). REQUIRES: the first two run the same program,
// and `last` is the linker's.
StepCommand in_one_start(const StepCommand& first, const StepCommand& second, const StepCommand& last);

// The same for commands of one program. The trace records what the first command reads. REQUIRES: all run the same
// program.
StepCommand in_one_start(const std::vector<StepCommand>& commands);

}  // namespace hipcache::hip

#endif
