// One connection, from its first message to its end. Several run at once, each in a thread of its own.
#ifndef HIPCACHE_DAEMON_SESSION_H
#define HIPCACHE_DAEMON_SESSION_H

#include <functional>

#include "daemon/control_service.h"
#include "daemon/services.h"
#include "hipcache/base/files.h"

namespace hipcache::daemon {

// Serves the peer of `socket` until it is satisfied or gone. Bad input ends the connection, is logged and counted.
void serve_connection(UniqueFd socket, const Services& services, ControlService& control);

}  // namespace hipcache::daemon

#endif
