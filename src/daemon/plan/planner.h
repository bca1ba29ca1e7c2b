// Obtains the plan of a request: from the store if the driver would print the same again, else from the driver.
#ifndef HIPCACHE_SRC_DAEMON_PLAN_PLANNER_H
#define HIPCACHE_SRC_DAEMON_PLAN_PLANNER_H

#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "daemon/request/request_context.h"
#include "daemon/request/step.h"
#include "hipcache/compiler/hip/plan.h"
#include "hipcache/compiler/invocation.h"

namespace hipcache::daemon {

struct Planned {
  std::unique_ptr<hip::Plan> plan;              // never null; stays in place, because steps refer to it
  StepState probe;                              // the step that asked the driver
  std::unique_ptr<Request> request;             // never null; the request, with what the plan adds for its steps
  std::optional<StepState> wrapper_probe = {};  // the step that asked the linker wrapper, if any

  // The context of the plan's steps. REQUIRES: this outlives the result.
  RequestContext context(const RequestContext& asked) const;

  // The probes that exist, in this order.
  std::vector<const StepState*> probes() const;
};

// Whether the compiles of the plan have an id of the translation unit. Up to clang 21 the host alone has none.
bool has_id(const hip::Plan& plan);

// An Uncacheable means that the driver fails, is no clang, or prints a plan that is not understood. The probe has a
// directory of its own, because clang 15 and 16 leave a directory behind in TMPDIR for every -###.
std::variant<Planned, compiler::Uncacheable> obtain_plan(const RequestContext& context);

}  // namespace hipcache::daemon

#endif
