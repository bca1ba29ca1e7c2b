// Where a compiler is installed, as a root (base/roots.h): /opt/rocm-7.0, and what people call it, /opt/rocm.
//
// The problem: two releases of a toolchain, or one that was unpacked in two places, hold the same bytes under other
// names. The choice: its directory is found by its structure, from the compiler's real path: the one above "bin" that
// holds a compiler's own directory as well, or the ROCm around that. Rejected: a setting (nobody sets it), and names
// ("rocm", "llvm"), which say nothing. What the system's packages install, in /usr, does not move and is no root. Nor
// is a directory that the request is made in: its sources are no toolchain's.
#ifndef HIPCACHE_DAEMON_TOOLCHAIN_ROOT_H
#define HIPCACHE_DAEMON_TOOLCHAIN_ROOT_H

#include <string>

namespace hipcache::daemon {

struct ToolchainRoot {
  std::string path;   // real; "": there is none
  std::string alias;  // the name that the compiler was called by, or ""
};

// `compiler`: absolute, as PATH or the command leads to it. Asks the file system.
ToolchainRoot toolchain_root(const std::string& compiler, const std::string& working_directory);

}  // namespace hipcache::daemon

#endif
