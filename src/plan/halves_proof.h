// The step that tries whether a compiler makes the same code object in two processes as in one (plan.h, Halves).
#ifndef HIPCACHE_SRC_PLAN_HALVES_PROOF_H
#define HIPCACHE_SRC_PLAN_HALVES_PROOF_H

#include <optional>

#include "hipcache/plan/plan.h"
#include "plan/shape.h"

namespace hipcache::plan {

// Its two outputs are what is_halves_proof() is given, in that order. Macros, search paths, warnings, the device
// libraries and the id are not part of it. Nothing: the command cannot be understood without those.
// REQUIRES: the compile may be halved (halves.h).
std::optional<Step> halves_proof(const DeviceJobs& device);

}  // namespace hipcache::plan

#endif
