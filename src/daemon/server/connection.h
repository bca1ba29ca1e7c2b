// Serves one connection, from its first message to its end. Several run at once, each in its own thread.
#ifndef HIPCACHE_SRC_DAEMON_SERVER_CONNECTION_H
#define HIPCACHE_SRC_DAEMON_SERVER_CONNECTION_H

#include "daemon/server/control_service.h"
#include "daemon/shared/services.h"
#include "hipcache/base/files.h"

namespace hipcache::daemon {

// Returns when the client is served or gone. Invalid input ends the connection, and is logged and counted.
void serve_connection(UniqueFd socket, const Services& services, ControlService& control);

}  // namespace hipcache::daemon

#endif
