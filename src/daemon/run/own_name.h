// Evidence that a device step's outputs do not depend on the name of the checkout.
//
// Problem: a source uses __FILE__, mostly in host code, so the result is tied to its checkout, and each further
// checkout runs the device's front end. Choice: the outputs tell. If two checkouts make the same outputs of the same
// inputs, the code uses nothing of the name that differs between them. The result is recorded for names that share what
// these share (docs/internals/proof.md, "What a tie costs"). Rejected: one run with a prefix map beside the first. Each
// first build would pay for it. Not seen: code that only asks whether the name is longer than some length.
#ifndef HIPCACHE_SRC_DAEMON_RUN_OWN_NAME_H
#define HIPCACHE_SRC_DAEMON_RUN_OWN_NAME_H

#include "daemon/request/request_context.h"
#include "daemon/request/step.h"
#include "hipcache/cache/action_cache.h"

namespace hipcache::daemon {

// Notes what the step made here. Records the result without the tie, or with a weaker one, if another checkout's note
// agrees. `result`: as it was recorded. REQUIRES: the step's result is recorded.
void note_own_name(const StepState& state, const cache::ActionResult& result, const RequestContext& context);

}  // namespace hipcache::daemon

#endif
