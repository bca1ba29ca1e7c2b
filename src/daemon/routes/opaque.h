// Serves an opaque compile: one traced run of what the user typed (command/undivided.h).
#ifndef HIPCACHE_SRC_DAEMON_ROUTES_OPAQUE_H
#define HIPCACHE_SRC_DAEMON_ROUTES_OPAQUE_H

#include <cstdint>
#include <optional>

#include "daemon/reply/conclusion.h"
#include "daemon/request/request.h"
#include "daemon/request/services.h"
#include "daemon/steps/step_state.h"
#include "hipcache/protocol/channel.h"

namespace hipcache::daemon {

// The request as an opaque compile, if it cannot be split: the plan has an unknown shape, or a script runs the
// compiler. Nothing if an opaque compile is impossible, too.
std::optional<Request> opaque_instead(const Request& request, const compiler::Uncacheable& why);

// The command as a step, with the request's key.
StepState opaque_step(const Request& request);

// Runs the compile, unless its result is stored or another client is running the same. `missed`: as in StepState.
// Returns nothing if the client was answered, else the reason why the compiler has to run alone.
std::optional<compiler::Uncacheable> serve_opaque(protocol::Channel& channel, Conclusion& conclusion,
                                                  const Request& request, std::optional<std::uint64_t> missed,
                                                  const Services& services, store::Lease& lease);

}  // namespace hipcache::daemon

#endif
