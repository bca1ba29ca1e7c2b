// A compile that is served whole: one traced run of what the user typed (command/undivided.h).
#ifndef HIPCACHE_DAEMON_UNDIVIDED_H
#define HIPCACHE_DAEMON_UNDIVIDED_H

#include <cstdint>
#include <optional>

#include "daemon/conclusion.h"
#include "daemon/request.h"
#include "daemon/services.h"
#include "daemon/step_work.h"
#include "hipcache/protocol/channel.h"

namespace hipcache::daemon {

// The request for the command as a whole, where its steps could not be told: a plan of a shape that nobody has taught
// hipcache, a script around the compiler. Nothing where it cannot be served whole either.
std::optional<Request> undivided_instead(const Request& request, const command::Uncacheable& why);

// The command as a step: its key is the request's.
StepWork undivided_work(const Request& request);

// Runs it, unless it is stored, or another client is just running the same and leaves what it made. `missed`: that it
// was looked up in vain, as in StepWork. Answered, or the reason why the compiler has to do it alone.
std::optional<command::Uncacheable> serve_undivided(protocol::Channel& channel, Conclusion& conclusion,
                                                    const Request& request, std::optional<std::uint64_t> missed,
                                                    const Services& services, store::Lease& lease);

}  // namespace hipcache::daemon

#endif
