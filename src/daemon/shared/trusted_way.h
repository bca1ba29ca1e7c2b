// Checks who can change what a path leads to.
#ifndef HIPCACHE_SRC_DAEMON_SHARED_TRUSTED_WAY_H
#define HIPCACHE_SRC_DAEMON_SHARED_TRUSTED_WAY_H

#include <sys/stat.h>

#include <string>

#include "hipcache/base/result.h"

namespace hipcache::daemon {

// The status of the directory at the absolute `path`. An error, which names the place, if users other than the owner,
// this user and root can change the directory's contents or where the path leads.
Result<struct stat> look_at_trusted(const std::string& path);

// The same for a directory in one of that owner, whose path was checked already. A link is an error.
Status check_trusted_below(const std::string& path, uid_t owner);

}  // namespace hipcache::daemon

#endif
