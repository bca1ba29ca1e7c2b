// Asks the user's driver for its jobs (-###). Each probe is a step: it is looked up, and the client runs it on a miss.
//
// A probe under neutral names (hipcache/compiler/hip/neutral_names.h) is shared by all units that differ in their names
// alone. Each probe has a directory of its own, because clang 15 and 16 leave a directory behind in TMPDIR for every
// -###. The caller counts the probes that make plans; those that only audit one are not counted.
#ifndef HIPCACHE_SRC_DAEMON_ROUTES_PROBE_H
#define HIPCACHE_SRC_DAEMON_ROUTES_PROBE_H

#include <string>

#include "daemon/request/request_context.h"
#include "daemon/steps/step_state.h"
#include "hipcache/base/result.h"
#include "hipcache/compiler/hip/neutral_names.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::daemon {

// The driver's own status and messages are in the result. An Error means that the probe could not run.
Result<StepState> probe(hip::IdFor id_for, const RequestContext& context);

// The same under neutral names, which the result contains. An Error also if such a plan was found wrong (planner.h).
Result<StepState> neutral_probe(const hip::NeutralNames& names, hip::IdFor id_for, const RequestContext& context);

// The same through a wrapper, which gets the user's words alone. `told`: the probe that gave the wrapper the words that
// ask for jobs. `driver`: the program that the wrapper starts.
Result<StepState> probe_through(const StepState& told, std::string driver, hip::IdFor id_for,
                                const RequestContext& context);

}  // namespace hipcache::daemon

#endif
