// The plan of a request: from the store if the driver would print the same again, else from the driver.
#ifndef HIPCACHE_DAEMON_PLANNER_H
#define HIPCACHE_DAEMON_PLANNER_H

#include <variant>

#include "daemon/request.h"
#include "daemon/request_directory.h"
#include "daemon/step_runner.h"
#include "daemon/step_work.h"
#include "hipcache/plan/plan.h"

namespace hipcache::daemon {

// The step that asks the driver.
StepWork probe_work(const Request& request);

// Brings `probe` to its end and reads what it printed. Passing through is right where the driver fails, is no clang, or
// plans something that is not understood.
std::variant<plan::Plan, command::Uncacheable> obtain_plan(StepWork& probe, StepRunner& runner, const Request& request,
                                                           const Services& services);

}  // namespace hipcache::daemon

#endif
