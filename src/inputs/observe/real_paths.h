// The real paths of many files in few directories; each directory is resolved once. The results are of this object's
// lifetime: for later results, use a new object. Used by one thread.
#ifndef HIPCACHE_SRC_INPUTS_OBSERVE_REAL_PATHS_H
#define HIPCACHE_SRC_INPUTS_OBSERVE_REAL_PATHS_H

#include <optional>
#include <string>
#include <unordered_map>

namespace hipcache::inputs {

class RealPaths {
 public:
  // As realpath(3); nullopt if that fails. REQUIRES: `path` is absolute.
  std::optional<std::string> of(const std::string& path);

 private:
  const std::optional<std::string>& of_directory(const std::string& path);

  std::unordered_map<std::string, std::optional<std::string>> directories_;
};

}  // namespace hipcache::inputs

#endif
