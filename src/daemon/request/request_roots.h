// The roots of one request: the build directories around it, found by search; its base directories; and the toolchain.
#ifndef HIPCACHE_SRC_DAEMON_REQUEST_REQUEST_ROOTS_H
#define HIPCACHE_SRC_DAEMON_REQUEST_REQUEST_ROOTS_H

#include <string>
#include <vector>

#include "hipcache/base/roots.h"
#include "hipcache/inputs/run_context.h"

namespace hipcache::daemon {

// The base directories of one request, in the order in which they correspond to those of another.
//
// Problem: users have several checkouts or worktrees of one project. They name all of them in one setting, as sccache's
// users do, or none. Choice: without a setting, the root of the git checkout around the source is the base directory.
// Of several, those that the request concerns come first: so each worktree in a list is "the" base directory of its own
// compiles. Where sources and builds are two directories, a request concerns both, and the order of the setting counts.
// Rejected: one mark for all of them, because then two directories of one request would be one.
//
// An entry may be a pattern, because the directories of isolated builds and unpacked toolchains have names that nobody
// knows before ("/tmp/pip-build-env-*"). It stands for the directories that it matches in the command, in their order.
//
// Two repositories of one program may have sources of equal names, whose ids (hipcache/compiler/hip/cuid.h) must
// differ. So where a directory was chosen here, its repository is a part of the id. Worktrees of one repository agree.
struct BaseDirectories {
  std::vector<std::string> all;
  bool is_chosen = false;  // the first one, among several or without a setting
};

// `source`: absolute; empty if the command has none or several. Touches the file system.
BaseDirectories base_directories_of(const std::vector<std::string>& setting, const std::vector<std::string>& argv,
                                    const std::string& source, const inputs::RunContext& from);

// Equal for two directories at the same place in worktrees of one repository, and in clones of one origin. Different
// for any other two. Reads small files of git's.
std::string repository_of(const std::string& directory);

// Where a compiler is installed, as a root (base/roots.h): /opt/rocm-7.0, and its alias /opt/rocm.
//
// The problem: two releases of a toolchain, or two copies of one, have the same bytes under different names. The
// choice: find the directory by its structure, from the compiler's real path. It is the parent of "bin" if it also
// holds the compiler's own directory, or the ROCm directory around it. Rejected: a setting (nobody sets it), and
// matching names ("rocm", "llvm"), which prove nothing. System packages in /usr do not move and get no root. Neither
// does a directory around the request's working directory, because its sources belong to no toolchain.

struct ToolchainRoot {
  std::string path;   // real path; "" if there is none
  std::string alias;  // the name by which the compiler was called, or ""
};

// `compiler`: absolute, as found by PATH or the command. Touches the file system.
ToolchainRoot toolchain_root(const std::string& compiler, const std::string& working_directory);

// Searches the working directory and its parents for build directories. Adds the base directories, each with the name
// that leads to it. A directory that is both is the build directory. hipcc 5 unpacks archives of relocatable code into
// directories with random names, and these are roots as well. No roots if an argument could be mistaken for a
// portable one. `compiler`: absolute. Touches the file system.
Roots roots_of(const std::vector<std::string>& argv, const std::string& compiler, const inputs::RunContext& from,
               const std::vector<std::string>& base_directories);

}  // namespace hipcache::daemon

#endif
