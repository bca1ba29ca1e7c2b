// The limits of the daemon's process. It inherits those of whichever client started it, and serves all others, too.
#ifndef HIPCACHE_DAEMON_LIMITS_H
#define HIPCACHE_DAEMON_LIMITS_H

#include <sys/resource.h>

#include "hipcache/base/result.h"

namespace hipcache::daemon {

inline constexpr unsigned kMaxSessions = 512;

// Raises each soft limit that a client may have set (descriptors, memory, file size, processor time, processes) to the
// hard one. What the system refuses to raise stays.
void raise_limits();

// How many sessions so many descriptors are enough for, kMaxSessions at most. An error if they are not enough for the
// daemon itself.
Result<unsigned> sessions_within(rlim_t descriptors);

// The same with the limit of this process.
Result<unsigned> allowed_sessions();

// Whether the store can write files of its usual size when a file may have so many bytes. A daemon that cannot store
// would serve everybody for as long as it lives: it is better not to start.
Status check_file_size(rlim_t bytes);

// The same with the limit of this process.
Status check_allowed_file_size();

}  // namespace hipcache::daemon

#endif
