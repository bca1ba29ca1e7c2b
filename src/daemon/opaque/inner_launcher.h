// A stub that runs hipcache itself (hipcache/launcher/nested.h), and whose runs cannot be stored: it asks for the time,
// or writes somewhere else.
//
// The problem: within a traced run the launcher behind the stub is only the compiler, so nobody would store anything.
// The choice: after such a run, this daemon leaves the stub's commands alone. Then the launcher behind it serves them.
#ifndef HIPCACHE_SRC_DAEMON_OPAQUE_INNER_LAUNCHER_H
#define HIPCACHE_SRC_DAEMON_OPAQUE_INNER_LAUNCHER_H

#include <optional>
#include <vector>

#include "daemon/request/request_context.h"
#include "daemon/steps/step_state.h"
#include "hipcache/trace/record.h"

namespace hipcache::daemon {

// After a run, with its records.
void note_inner_launcher(const StepState& state, const std::vector<trace::Record>& records,
                         const RequestContext& context);

// Why the command is left alone; nothing for most commands.
std::optional<compiler::Uncacheable> left_to_inner_launcher(const RequestContext& context);

}  // namespace hipcache::daemon

#endif
