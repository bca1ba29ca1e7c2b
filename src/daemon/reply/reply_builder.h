// Builds and sends the final reply of a compile: what is counted, what is printed, and which files are placed or
// removed, as the driver would have done.
#ifndef HIPCACHE_SRC_DAEMON_REPLY_REPLY_BUILDER_H
#define HIPCACHE_SRC_DAEMON_REPLY_REPLY_BUILDER_H

#include <optional>
#include <string>

#include "daemon/reply/conclusion.h"
#include "daemon/request/request_context.h"
#include "daemon/run/step_graph.h"

namespace hipcache::daemon {

// Answers a request whose result is stored. On an error (a blob is gone or damaged) nothing was sent, and the steps
// must be looked up.
Status reply_hit(Conclusion& conclusion, const cache::ActionResult& whole, const RequestContext& context);

// Answers a request whose steps all succeeded, with `outcome` for the statistics. The outputs are in the request's
// directory or in the store.
std::optional<compiler::Uncacheable> reply_success(Conclusion& conclusion, const StepGraph& graph,
                                                   const cache::ActionResult& whole, stats::Outcome outcome,
                                                   const StepContext& context);

// Answers a request with a failed step. The compiler's own error messages are the answer. If the compiler crashed or a
// linker failed, the driver prints and writes more than the daemon knows, so the client must run it.
std::optional<compiler::Uncacheable> reply_failure(Conclusion& conclusion, const StepGraph& graph,
                                                   const std::string& driver_stderr, const StepContext& context);

// Answers with an opaque compile that ran just now, whether or not it succeeded. Its outputs are in place.
void reply_opaque(Conclusion& conclusion, const StepState& ran, const RequestContext& context);

// Why the compiler has to run by itself after that step failed.
compiler::Uncacheable failure_of(const StepState& failed);

}  // namespace hipcache::daemon

#endif
