// What an earlier run of a command showed: the next one runs by itself, without trace and copy. Kept in the store for a
// day, then the command is tried again. The note belongs to the command, whatever its source contains: an edit hardly
// changes what a link costs, or which files a compiler leaves.
#ifndef HIPCACHE_SRC_DAEMON_OPAQUE_RUN_NOTES_H
#define HIPCACHE_SRC_DAEMON_OPAQUE_RUN_NOTES_H

#include <optional>

#include "daemon/request/request_context.h"
#include "hipcache/compiler/invocation.h"

namespace hipcache::daemon {

// Notes why the command is to run by itself.
void note_runs_alone(const RequestContext& context, const compiler::Uncacheable& why);

// What was noted, if anything. Costs one store lookup.
std::optional<compiler::Uncacheable> noted_to_run_alone(const RequestContext& context);

}  // namespace hipcache::daemon

#endif
