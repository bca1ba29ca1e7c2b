// Whether a daemon lives, told by the lock that it holds for as long as it does. Its socket does not tell: a daemon
// that starts, leaves or hangs, or whose socket was removed, cannot be connected to.
#ifndef HIPCACHE_SRC_CLIENT_DAEMON_LOCK_H
#define HIPCACHE_SRC_CLIENT_DAEMON_LOCK_H

#include <sys/types.h>

#include <optional>

#include "hipcache/base/files.h"
#include "hipcache/base/own_directory.h"

namespace hipcache::client {

// Takes the lock for a moment if it is free. A daemon that starts then asks for it again.
bool is_daemon_lock_held(const OwnDirectory& directory);

struct DaemonProcess {
  pid_t pid = 0;
  UniqueFd watched;  // readable when the process has ended
};

// The process whose number the lock holds, if it has the lock's file open. Nothing if it cannot be seen from here, e.g.
// from another container.
std::optional<DaemonProcess> daemon_lock_holder(const OwnDirectory& directory);

// False if the process is gone.
bool send_signal(const DaemonProcess& process, int signal);

}  // namespace hipcache::client

#endif
