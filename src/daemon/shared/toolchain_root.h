// Where a compiler is installed, as a root (base/roots.h): /opt/rocm-7.0, and its alias /opt/rocm.
//
// The problem: two releases of a toolchain, or two copies of one, have the same bytes under different names. The
// choice: find the directory by its structure, from the compiler's real path. It is the parent of "bin" if it also
// holds the compiler's own directory, or the ROCm directory around it. Rejected: a setting (nobody sets it), and
// matching names ("rocm", "llvm"), which prove nothing. System packages in /usr do not move and get no root. Neither
// does a directory around the request's working directory, because its sources belong to no toolchain.
#ifndef HIPCACHE_SRC_DAEMON_SHARED_TOOLCHAIN_ROOT_H
#define HIPCACHE_SRC_DAEMON_SHARED_TOOLCHAIN_ROOT_H

#include <string>

namespace hipcache::daemon {

struct ToolchainRoot {
  std::string path;   // real path; "" if there is none
  std::string alias;  // the name by which the compiler was called, or ""
};

// `compiler`: absolute, as found by PATH or the command. Touches the file system.
ToolchainRoot toolchain_root(const std::string& compiler, const std::string& working_directory);

}  // namespace hipcache::daemon

#endif
