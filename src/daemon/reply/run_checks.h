// Checks what the steps of a request did, before the client is answered.
#ifndef HIPCACHE_SRC_DAEMON_REPLY_RUN_CHECKS_H
#define HIPCACHE_SRC_DAEMON_REPLY_RUN_CHECKS_H

#include <optional>

#include "daemon/request/step_context.h"
#include "daemon/steps/step_graph.h"
#include "hipcache/compiler/invocation.h"

namespace hipcache::daemon {

// Why the compiler has to run by itself: a step wrote a file that no command mentions, read the depfile that the
// request is about to write, or read a descriptor by name. Nothing if the steps did what the plan says.
std::optional<compiler::Uncacheable> unusual_run(const StepGraph& graph, const StepContext& context);

// Whether that reason is a file that the user would not get, and holds for the command's next run as well: no step
// failed or crashed.
bool loses_files(const compiler::Uncacheable& why, const StepState& step);
bool loses_files(const compiler::Uncacheable& why, const StepGraph& graph);

}  // namespace hipcache::daemon

#endif
