// Obtains the plan of a request: from the store if the driver would print the same again, else from the driver.
#ifndef HIPCACHE_SRC_DAEMON_ROUTES_PLANNER_H
#define HIPCACHE_SRC_DAEMON_ROUTES_PLANNER_H

#include <optional>
#include <variant>
#include <vector>

#include "daemon/explain/explainer.h"
#include "daemon/request/request.h"
#include "daemon/request/services.h"
#include "daemon/steps/step_state.h"
#include "hipcache/compiler/hip/plan.h"
#include "hipcache/protocol/channel.h"

namespace hipcache::daemon {

struct Planned {
  hip::Plan plan;
  StepState probe;                              // the step that asked the driver
  std::optional<StepState> wrapper_probe = {};  // the step that asked the linker wrapper, if any

  // The probes that exist, in this order.
  std::vector<const StepState*> probes() const;
};

// An Uncacheable means that the driver fails, is no clang, or prints a plan that is not understood. The probe has a
// directory of its own, because clang 15 and 16 leave a directory behind in TMPDIR for every -###. An explainer, if
// given, logs why the probe runs.
std::variant<Planned, compiler::Uncacheable> obtain_plan(protocol::Channel& channel, const Request& request,
                                                         const Services& services, store::Lease& lease,
                                                         const Explainer* explainer);

}  // namespace hipcache::daemon

#endif
