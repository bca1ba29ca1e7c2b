// Checks who can change what a path leads to.
#ifndef HIPCACHE_DAEMON_TRUSTED_WAY_H
#define HIPCACHE_DAEMON_TRUSTED_WAY_H

#include <sys/stat.h>

#include <string>

#include "hipcache/base/result.h"

namespace hipcache::daemon {

// The status of the directory at the absolute `path`, if only its owner, this user and root can change its contents and
// which directory the path leads to. Otherwise an error that names the place that others can change.
Result<struct stat> look_at_trusted(const std::string& path);

// The same for a directory in one of that owner, whose path was checked already. A link is an error.
Status check_trusted_below(const std::string& path, uid_t owner);

}  // namespace hipcache::daemon

#endif
