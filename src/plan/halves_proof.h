// The step that tests whether a compiler makes the same code object in two processes as in one (plan.h, Halves).
#ifndef HIPCACHE_SRC_PLAN_HALVES_PROOF_H
#define HIPCACHE_SRC_PLAN_HALVES_PROOF_H

#include <optional>

#include "hipcache/plan/plan.h"
#include "plan/shape.h"

namespace hipcache::plan {

// The step's two outputs are the arguments of is_halves_proof(), in that order. Its commands have no macros, search
// paths, warnings, device libraries or CUID. Nothing if the command cannot be parsed without those. REQUIRES: the
// compile may be split (halves.h).
std::optional<Step> halves_proof(const DeviceJobs& device);

}  // namespace hipcache::plan

#endif
