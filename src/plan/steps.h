// The steps of a plan, made of its jobs: names of passage are replaced by ours, and what reaches no output leaves the
// key.
#ifndef HIPCACHE_SRC_PLAN_STEPS_H
#define HIPCACHE_SRC_PLAN_STEPS_H

#include <optional>
#include <vector>

#include "hipcache/plan/plan.h"
#include "plan/shape.h"

namespace hipcache::plan {

// In the driver's order. REQUIRES: check_shape() had nothing against the shape.
std::vector<Step> steps_of(const Shape& shape);

// What asks the linker wrapper for its jobs, if there is one: it is given empty images, as the jobs are the same for
// any. REQUIRES: the same.
std::optional<Step> question_of(const Shape& shape);

// The other way, where the host's object contains a fatbin. REQUIRES: the same.
std::optional<HostApart> host_apart_of(const Shape& shape);

}  // namespace hipcache::plan

#endif
