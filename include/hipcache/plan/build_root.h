// The build directories that a directory lies in, found without a setting.
//
// The problem: equal builds in two directories have to agree in names, and nobody says where a build begins. The
// choice: a directory with a CMakeCache.txt or a build.ninja (CMake, Meson, gn), and of those above one another the
// nearest and the topmost, since projects nest the builds of others: what the inner one has to itself is relative to
// the nearest, what it has from the others to the topmost. Rejected: CMakeFiles and Makefile, which CMake writes into
// every directory of a build and people into their sources.
#ifndef HIPCACHE_PLAN_BUILD_ROOT_H
#define HIPCACHE_PLAN_BUILD_ROOT_H

#include <functional>
#include <string>

namespace hipcache::plan {

struct BuildRoots {
  std::string nearest;  // "": none
  std::string topmost;
};

// Asks twice for each directory from there upwards but "/". Errors count as "not there".
BuildRoots build_roots(const std::string& absolute_directory,
                       const std::function<bool(const std::string& path)>& exists);

}  // namespace hipcache::plan

#endif
