// The step that tries whether a compiler writes the same host object around any fatbin (plan.h, HostApart).
#ifndef HIPCACHE_SRC_PLAN_HOST_PROOF_H
#define HIPCACHE_SRC_PLAN_HOST_PROOF_H

#include "hipcache/plan/plan.h"
#include "plan/frontend_job.h"

namespace hipcache::plan {

// Its two outputs are what is_proof() is given, in that order. REQUIRES: the job includes a fatbin and makes an object.
Step host_proof(const FrontendJob& host);

}  // namespace hipcache::plan

#endif
