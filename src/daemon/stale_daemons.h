// Directories of daemons whose view of the file system is gone: containers that ended.
#ifndef HIPCACHE_DAEMON_STALE_DAEMONS_H
#define HIPCACHE_DAEMON_STALE_DAEMONS_H

#include <chrono>
#include <string>

namespace hipcache::daemon {

inline constexpr std::chrono::hours kStaleAfter{24};

// Removes those of this user, but `own`, in which no daemon runs or is being started, and none was started for
// kStaleAfter: until then somebody may want the log. What cannot be removed is tried again by the next daemon.
void remove_stale_daemons(const std::string& cache_directory, const std::string& own);

}  // namespace hipcache::daemon

#endif
