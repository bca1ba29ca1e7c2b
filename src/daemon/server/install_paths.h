// Finds the parts of the installed tree, from this program's real directory: the tree may be moved, and linked to.
#ifndef HIPCACHE_SRC_DAEMON_SERVER_INSTALL_PATHS_H
#define HIPCACHE_SRC_DAEMON_SERVER_INSTALL_PATHS_H

#include <string>

#include "hipcache/base/own_directory.h"
#include "hipcache/base/result.h"

namespace hipcache::daemon {

Result<std::string> find_trace_library();

// The path by which LD_PRELOAD can name the library. The loader splits LD_PRELOAD at spaces and colons and knows no
// quotes: a path that has one is reached by a link in the directory, which belongs to this daemon.
Result<std::string> preloadable(const std::string& library, const OwnDirectory& directory);

// hipcache-remote beside this program.
Result<std::string> find_remote_program();

}  // namespace hipcache::daemon

#endif
