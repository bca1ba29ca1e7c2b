// The resource limits of the daemon's process. It inherits those of the client that started it, but serves all clients.
#ifndef HIPCACHE_SRC_DAEMON_SERVER_LIMITS_H
#define HIPCACHE_SRC_DAEMON_SERVER_LIMITS_H

#include <sys/resource.h>

#include "hipcache/base/result.h"

namespace hipcache::daemon {

inline constexpr unsigned kMaxSessions = 512;

// Raises the soft limits that a client may have set (descriptors, memory, file size, processor time, processes) to the
// hard limits. Limits that cannot be raised stay.
void raise_limits();

// How many sessions that many descriptors allow, at most kMaxSessions. An error if they are not enough for the daemon
// itself.
Result<unsigned> sessions_within(rlim_t descriptors);

// The same with the limit of this process.
Result<unsigned> allowed_sessions();

// Whether the store can write its usual file sizes when files are limited to `bytes`. A daemon that cannot store would
// serve all clients badly for its whole life, so it does not start.
Status check_file_size(rlim_t bytes);

// The same with the limit of this process.
Status check_allowed_file_size();

}  // namespace hipcache::daemon

#endif
