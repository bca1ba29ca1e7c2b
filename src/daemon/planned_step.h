// Looks up the steps of a plan without running any: for --plan and --explain.
#ifndef HIPCACHE_DAEMON_PLANNED_STEP_H
#define HIPCACHE_DAEMON_PLANNED_STEP_H

#include <string>
#include <vector>

#include "daemon/request.h"
#include "daemon/services.h"
#include "daemon/step_work.h"
#include "hipcache/plan/plan.h"

namespace hipcache::daemon {

struct PlannedStep {
  const plan::Step* planned = nullptr;
  StepWork work;
  std::vector<std::string> makers;  // labels of the steps that make its inputs, in their order
  bool has_key = false;             // false if an input is not stored, because its digest is unknown
  bool stored = false;
};

// In the plan's order. REQUIRES: the plan outlives what is returned.
std::vector<PlannedStep> look_up_steps(const plan::Plan& plan, const Request& request, const Services& services,
                                       store::Lease& lease);

}  // namespace hipcache::daemon

#endif
