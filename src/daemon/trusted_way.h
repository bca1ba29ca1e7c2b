// Who can change what a path leads to.
#ifndef HIPCACHE_DAEMON_TRUSTED_WAY_H
#define HIPCACHE_DAEMON_TRUSTED_WAY_H

#include <sys/stat.h>

#include <string>

#include "hipcache/base/result.h"

namespace hipcache::daemon {

// The directory at `path`, which is absolute, if its owner, this user and root alone can change what lies in it and
// which directory the path leads to. Else an error that names the place where others can.
Result<struct stat> look_at_trusted(const std::string& path);

// The same for a directory that lies in one of that owner, where the way to it was looked at already. A link is an
// error.
Status check_trusted_below(const std::string& path, uid_t owner);

}  // namespace hipcache::daemon

#endif
