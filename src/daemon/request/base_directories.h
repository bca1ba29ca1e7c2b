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
#ifndef HIPCACHE_SRC_DAEMON_REQUEST_BASE_DIRECTORIES_H
#define HIPCACHE_SRC_DAEMON_REQUEST_BASE_DIRECTORIES_H

#include <string>
#include <vector>

#include "hipcache/inputs/run_context.h"

namespace hipcache::daemon {

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

}  // namespace hipcache::daemon

#endif
