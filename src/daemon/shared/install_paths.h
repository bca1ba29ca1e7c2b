// Finds the parts of the installation.
#ifndef HIPCACHE_SRC_DAEMON_SHARED_INSTALL_PATHS_H
#define HIPCACHE_SRC_DAEMON_SHARED_INSTALL_PATHS_H

#include <string>

#include "hipcache/base/result.h"

namespace hipcache::daemon {

// ../lib/libhipcache-trace.so relative to this program's real directory: installations may be moved, and linked to.
Result<std::string> find_trace_library();

// hipcache-remote beside this program.
Result<std::string> find_remote_program();

}  // namespace hipcache::daemon

#endif
