// Paths that a compiler joins from two arguments: a prefix and a name that is relative to it.
//
// The problem: "--sysroot=/p -I=/one/include" reads /p/one/include, and no argument names the root /p/one. The files
// are asked about relative to the root, so the same command would ask for its own files in another checkout, but read
// those of the first. The reverse: "-I=/p/one/include" with a sysroot does not read below /p/one.
//
// The choice: a relative name stays in the key as typed. If a prefix may lead to a root, the root's path is in the key.
// Rejected: joining the paths as each compiler does. gcc appends by characters, clang by components, and a compiler may
// have a sysroot built in.
#ifndef HIPCACHE_SRC_DAEMON_REQUEST_JOINED_PATHS_H
#define HIPCACHE_SRC_DAEMON_REQUEST_JOINED_PATHS_H

#include <cstddef>
#include <string>
#include <vector>

#include "hipcache/base/roots.h"

namespace hipcache::daemon {

// Whether a compiler joins the argument with others: "-I=/include", the value of -iwithprefix or -iprefix.
bool is_joined(const std::vector<std::string>& argv, std::size_t index);

// The roots that a joined path may lead to although no argument names them, by their marks in `roots`.
RootMask roots_reached_by_joining(const std::vector<std::string>& argv, const Roots& roots);

}  // namespace hipcache::daemon

#endif
