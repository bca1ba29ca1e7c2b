// Serves a compile from the client's request to the final reply.
#ifndef HIPCACHE_SRC_DAEMON_SERVE_COMPILE_SERVICE_H
#define HIPCACHE_SRC_DAEMON_SERVE_COMPILE_SERVICE_H

#include <cstdint>
#include <optional>

#include "daemon/request/request_context.h"
#include "daemon/serve/reply.h"
#include "daemon/shared/services.h"
#include "hipcache/protocol/channel.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::daemon {

// Serves an opaque compile: one traced run of what the user typed (run/opaque_run.h). Runs the compile, unless its
// result is stored or another client is running the same. `missed`: as in StepState. Returns nothing if the client was
// answered, else the reason why the compiler has to run alone.
std::optional<compiler::Uncacheable> serve_opaque(Conclusion& conclusion, std::optional<std::uint64_t> missed,
                                                  const RequestContext& context);

// Serves a split compile: plans it as a graph of steps, and finds or runs each of them. Returns nothing if the client
// was answered, else the reason why the compiler has to run alone.
std::optional<compiler::Uncacheable> serve_split(Conclusion& conclusion, const RequestContext& context);

// Makes the wrapper headers that jobs of the command wait for (run/preamble_making.h). Waits for idle time first, and
// compiles nothing. The client is a process of its own, started by that of a job (client/request/headers.cpp).
void serve_headers(protocol::Channel& channel, const protocol::CompileRequest& message, const Services& services);

// Every failure ends in PassThrough or in a closed connection; the client then runs the real compiler.
void serve_compile(protocol::Channel& channel, const protocol::CompileRequest& message, const Services& services);

}  // namespace hipcache::daemon

#endif
