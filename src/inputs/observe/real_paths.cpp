#include "inputs/observe/real_paths.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "hipcache/base/files.h"

namespace hipcache::inputs {
namespace {

bool is_no_link(const std::string& path) {
  char target[1];
  return ::readlink(path.c_str(), target, sizeof target) < 0 && errno == EINVAL;
}

}  // namespace

std::optional<std::string> RealPaths::of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string entry = slash == std::string::npos ? "" : path.substr(slash + 1);
  if (slash == 0 || entry.empty() || entry == "." || entry == "..") return resolved_path(path);
  const std::optional<std::string>& directory = of_directory(path.substr(0, slash));
  if (!directory) return std::nullopt;
  std::string name = (*directory == "/" ? "" : *directory) + "/" + entry;
  return name.size() < PATH_MAX && is_no_link(name) ? name : resolved_path(path);
}

const std::optional<std::string>& RealPaths::of_directory(const std::string& path) {
  const auto [at, is_new] = directories_.try_emplace(path);
  if (is_new) at->second = resolved_path(path);
  return at->second;
}

}  // namespace hipcache::inputs
