// The roots of one request: the build directories around it, found by search; the base directories of its settings; and
// the toolchain.
#ifndef HIPCACHE_SRC_DAEMON_REQUEST_REQUEST_ROOTS_H
#define HIPCACHE_SRC_DAEMON_REQUEST_REQUEST_ROOTS_H

#include <string>
#include <vector>

#include "hipcache/base/roots.h"
#include "hipcache/inputs/file_system_state.h"

namespace hipcache::daemon {

// Searches the working directory and its parents for build directories. Adds the base directories, each with the name
// that leads to it. A directory that is both is the build directory. No roots if an argument could be mistaken for a
// portable one. `compiler`: absolute. Touches the file system.
Roots roots_of(const std::vector<std::string>& argv, const std::string& compiler, const inputs::RunContext& from,
               const std::vector<std::string>& base_directories);

}  // namespace hipcache::daemon

#endif
