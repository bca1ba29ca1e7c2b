#include "hipcache/compiler/hip/build_root.h"

#include <filesystem>

#include "hipcache/base/files.h"

namespace hipcache::hip {

BuildRoots build_roots(const std::string& absolute_directory,
                       const std::function<bool(const std::string& path)>& exists) {
  BuildRoots roots;
  std::string directory = std::filesystem::path(absolute_directory).lexically_normal().string();
  while (directory.size() > 1 && directory.back() == '/') directory.pop_back();
  for (; directory.size() > 1 && directory.front() == '/'; directory = std::string(directory_name(directory))) {
    if (!exists(directory + "/CMakeCache.txt") && !exists(directory + "/build.ninja")) continue;
    if (roots.nearest.empty()) roots.nearest = directory;
    roots.topmost = directory;
  }
  return roots;
}

}  // namespace hipcache::hip
