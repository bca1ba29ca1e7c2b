// Finds the build directories that contain a directory, without a setting.
//
// Problem: equal builds in two directories must agree in names, but nothing says where a build
// directory begins.
// Choice: a directory with a CMakeCache.txt or a build.ninja (CMake, Meson, gn). Projects nest the
// builds of other projects, so both the nearest and the topmost one count. Names of the inner build
// itself are relative to the nearest; names that it shares are relative to the topmost.
// Rejected: CMakeFiles and Makefile; CMake writes them into every directory of a build, and people
// write Makefiles into their sources.
#ifndef HIPCACHE_COMPILER_HIP_BUILD_ROOT_H
#define HIPCACHE_COMPILER_HIP_BUILD_ROOT_H

#include <functional>
#include <string>

namespace hipcache::hip {

struct BuildRoots {
  std::string nearest;  // "": none
  std::string topmost;
};

// Calls `exists` twice for the directory and each of its parents except "/". Errors count as "does
// not exist".
BuildRoots build_roots(const std::string& absolute_directory,
                       const std::function<bool(const std::string& path)>& exists);

}  // namespace hipcache::hip

#endif
