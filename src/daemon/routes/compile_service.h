// Serves a compile from the client's request to the final reply.
#ifndef HIPCACHE_SRC_DAEMON_ROUTES_COMPILE_SERVICE_H
#define HIPCACHE_SRC_DAEMON_ROUTES_COMPILE_SERVICE_H

#include "daemon/request/services.h"
#include "hipcache/protocol/channel.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::daemon {

// Every failure ends in PassThrough or in a closed connection; the client then runs the real compiler.
void serve_compile(protocol::Channel& channel, const protocol::CompileRequest& message, const Services& services);

}  // namespace hipcache::daemon

#endif
