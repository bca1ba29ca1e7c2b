// The process at the other end of a session's connection.
//
// A stopped client (^Z, SIGSTOP) keeps its claims and its job slots and finishes nothing, so other sessions must
// notice. The connection does not show it; /proc does.
#ifndef HIPCACHE_SRC_DAEMON_SHARED_CLIENT_PROCESS_H
#define HIPCACHE_SRC_DAEMON_SHARED_CLIENT_PROCESS_H

#include <sys/types.h>

namespace hipcache::daemon {

// The process that connected the socket; 0 if it is not visible from here.
pid_t peer_process(int socket);

// Whether job control has stopped the process. False for 0, for a process that is gone, and for one that a debugger
// holds.
bool is_stopped(pid_t process);

// Adds one to an eventfd of the session that serves the client. Errors are ignored, because a full or closed eventfd
// needs no wake-up.
void wake(int event_fd);

}  // namespace hipcache::daemon

#endif
