// Removes directories of daemons whose view of the file system is gone, such as those of ended containers.
#ifndef HIPCACHE_SRC_DAEMON_SERVER_STALE_DAEMONS_H
#define HIPCACHE_SRC_DAEMON_SERVER_STALE_DAEMONS_H

#include <chrono>
#include <string>

namespace hipcache::daemon {

inline constexpr std::chrono::hours kStaleAfter{24};

// Removes this user's daemon directories, except `own`, if no daemon runs or starts there and none started for
// kStaleAfter. Until then somebody may want the log. The next daemon retries what cannot be removed.
void remove_stale_daemons(const std::string& cache_directory, const std::string& own);

}  // namespace hipcache::daemon

#endif
