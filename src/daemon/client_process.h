// The process at the other end of a session's connection, as far as others who wait for it must know of it.
//
// A client that is stopped (^Z, SIGSTOP) keeps its claims and its job tokens, and ends nothing. Its connection does not
// tell; the kernel's list of processes does.
#ifndef HIPCACHE_DAEMON_CLIENT_PROCESS_H
#define HIPCACHE_DAEMON_CLIENT_PROCESS_H

#include <sys/types.h>

namespace hipcache::daemon {

// Which process connected the socket; 0 where this process cannot see it.
pid_t peer_process(int socket);

// Whether job control has stopped it. False for 0 and for a process that is gone. One that a debugger holds is not
// stopped in this sense.
bool is_stopped(pid_t process);

}  // namespace hipcache::daemon

#endif
