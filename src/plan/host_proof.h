// The step that tests whether a compiler writes the same host object around any fatbin (plan.h, HostApart).
#ifndef HIPCACHE_SRC_PLAN_HOST_PROOF_H
#define HIPCACHE_SRC_PLAN_HOST_PROOF_H

#include "hipcache/plan/plan.h"
#include "plan/frontend_job.h"

namespace hipcache::plan {

// The step's two outputs are the arguments of is_proof(), in that order. REQUIRES: the job includes a fatbin and makes
// an object.
Step host_proof(const FrontendJob& host);

}  // namespace hipcache::plan

#endif
