// The roots of one request: the build directories that it is made in, found by looking for them, the base directories
// that its settings name, and the toolchain's.
#ifndef HIPCACHE_DAEMON_REQUEST_ROOTS_H
#define HIPCACHE_DAEMON_REQUEST_ROOTS_H

#include <string>
#include <vector>

#include "hipcache/base/roots.h"
#include "hipcache/inputs/world.h"

namespace hipcache::daemon {

// Of the working directory upwards, and of the base directories, each with the name that led there. A directory that is
// both is the build directory. None where an argument could be mistaken for a portable one. `compiler`: absolute. Asks
// the file system.
Roots roots_of(const std::vector<std::string>& argv, const std::string& compiler, const inputs::Surroundings& from,
               const std::vector<std::string>& base_directories);

}  // namespace hipcache::daemon

#endif
