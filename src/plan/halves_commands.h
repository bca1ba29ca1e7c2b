// The commands of a device compile as front end and back end (plan.h, Halves).
#ifndef HIPCACHE_SRC_PLAN_HALVES_COMMANDS_H
#define HIPCACHE_SRC_PLAN_HALVES_COMMANDS_H

#include <vector>

#include "hipcache/plan/plan.h"
#include "plan/halves.h"
#include "plan/shape.h"

namespace hipcache::plan {

// Front, back and both of them; not the proof. REQUIRES: the compile may be halved (halves.h).
Halves halves_commands(const DeviceJobs& device, const HalvesNames& names);

// One start of the compiler for all (src/trace/preload_then.c). REQUIRES: the first two are of one program, and `last`
// is the linker's.
StepCommand in_one_start(const StepCommand& first, const StepCommand& second, const StepCommand& last);

// The same with no other program at the end. What the trace has is the first one's. REQUIRES: all are of one program.
StepCommand in_one_start(const std::vector<StepCommand>& commands);

}  // namespace hipcache::plan

#endif
