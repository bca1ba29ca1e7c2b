// Tells whether a daemon is alive by the lock that it holds. The socket cannot tell: no client can connect to a daemon
// that is starting, stopping or hanging, or whose socket was removed.
#ifndef HIPCACHE_SRC_CLIENT_CONNECTION_DAEMON_LOCK_H
#define HIPCACHE_SRC_CLIENT_CONNECTION_DAEMON_LOCK_H

#include <sys/types.h>

#include <optional>

#include "hipcache/base/files.h"
#include "hipcache/base/own_directory.h"

namespace hipcache::client {

// Takes a free lock for a moment. A daemon that starts at that moment retries.
bool is_daemon_lock_held(const OwnDirectory& directory);

struct DaemonProcess {
  pid_t pid = 0;
  UniqueFd watched;  // readable when the process has ended
};

// The process whose id the lock file holds, if that process has the file open. Nothing if the process is not visible,
// e.g. from another container.
std::optional<DaemonProcess> daemon_lock_holder(const OwnDirectory& directory);

// False if the process is gone.
bool send_signal(const DaemonProcess& process, int signal);

}  // namespace hipcache::client

#endif
