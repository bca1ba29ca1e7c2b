// Makes the steps of a plan from its jobs: replaces the names of intermediate files, and removes from the key what
// cannot affect an output.
#ifndef HIPCACHE_SRC_COMPILER_HIP_PLAN_STEPS_H
#define HIPCACHE_SRC_COMPILER_HIP_PLAN_STEPS_H

#include <optional>
#include <vector>

#include "compiler/hip/jobs/plan_validator.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::hip {

// In the driver's order. REQUIRES: check_plan() accepted the shape.
std::vector<Step> steps_of(const ValidatedPlan& shape);

// The step that asks the linker wrapper for its jobs, if there is a wrapper. The images are empty, because the jobs are
// the same for any images. REQUIRES: check_plan() accepted the shape.
std::optional<Step> question_of(const ValidatedPlan& shape);

// The steps with a deferred fatbin, if the host's object contains a fatbin. REQUIRES: check_plan() accepted the shape.
std::optional<DeferredFatbin> deferred_fatbin_of(const ValidatedPlan& shape);

}  // namespace hipcache::hip

#endif
