// Looks up the steps of a plan without running any: for --plan and --explain.
#ifndef HIPCACHE_SRC_DAEMON_EXPLAIN_STEP_PREVIEW_H
#define HIPCACHE_SRC_DAEMON_EXPLAIN_STEP_PREVIEW_H

#include <string>
#include <vector>

#include "daemon/request/request_context.h"
#include "daemon/steps/step_state.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::daemon {

struct StepPreview {
  StepState state;
  std::vector<std::string> makers;  // labels of the steps that make its inputs, in their order
  bool has_key = false;             // false if an input is not stored, because its digest is unknown
  bool stored = false;
};

// In the plan's order. REQUIRES: the plan outlives what is returned.
std::vector<StepPreview> preview_steps(const hip::Plan& plan, const RequestContext& context);

}  // namespace hipcache::daemon

#endif
