// Serves an opaque compile: one traced run of what the user typed (opaque/opaque_run.h).
#ifndef HIPCACHE_SRC_DAEMON_ROUTES_OPAQUE_H
#define HIPCACHE_SRC_DAEMON_ROUTES_OPAQUE_H

#include <cstdint>
#include <optional>

#include "daemon/reply/conclusion.h"
#include "daemon/request/request_context.h"

namespace hipcache::daemon {

// The request as an opaque compile, if it cannot be split: the plan has an unknown shape, or a script runs the
// compiler. Nothing if an opaque compile is impossible, too.
std::optional<Request> opaque_instead(const Request& request, const compiler::Uncacheable& why);

// Runs the compile, unless its result is stored or another client is running the same. `missed`: as in StepState.
// Returns nothing if the client was answered, else the reason why the compiler has to run alone.
std::optional<compiler::Uncacheable> serve_opaque(Conclusion& conclusion, std::optional<std::uint64_t> missed,
                                                  const RequestContext& context);

}  // namespace hipcache::daemon

#endif
