// `hipcache <compiler> <arguments>`: serves the compile from the cache, or runs the compiler.
//
// Cache trouble never prevents the compile. Trouble goes to the log only (HIPCACHE_LOG), except that
// wrong settings and a cache directory that cannot be used are said on standard error, before the
// compiler runs and now and then (client/notices/notices.h).
#ifndef HIPCACHE_CLIENT_LAUNCHER_H
#define HIPCACHE_CLIENT_LAUNCHER_H

#include <string>
#include <vector>

#include "hipcache/client/own_request.h"
#include "hipcache/client/timeouts.h"

namespace hipcache::client {

// Returns the exit code. Does not return if this process becomes the compiler.
int launch(std::vector<std::string> argv, Timeouts timeouts, LauncherHandoff begun = {});

}  // namespace hipcache::client

#endif
