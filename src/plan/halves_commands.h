// The commands of a device compile with split code generation (plan.h, Halves).
#ifndef HIPCACHE_SRC_PLAN_HALVES_COMMANDS_H
#define HIPCACHE_SRC_PLAN_HALVES_COMMANDS_H

#include <vector>

#include "hipcache/plan/plan.h"
#include "plan/halves.h"
#include "plan/shape.h"

namespace hipcache::plan {

// Makes the commands `front`, `back` and `both`, but not the proof. REQUIRES: the compile may be split (halves.h).
Halves halves_commands(const DeviceJobs& device, const HalvesNames& names);

// Runs all three by one start of the compiler (src/trace/preload_then.c). REQUIRES: the first two run the same program,
// and `last` is the linker's.
StepCommand in_one_start(const StepCommand& first, const StepCommand& second, const StepCommand& last);

// The same for commands of one program. The trace records what the first command reads. REQUIRES: all run the same
// program.
StepCommand in_one_start(const std::vector<StepCommand>& commands);

}  // namespace hipcache::plan

#endif
