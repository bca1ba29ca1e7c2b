#include "hipcache/inputs/loaded_libraries.h"

#include <deque>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "hipcache/base/files.h"
#include "inputs/loader/library_path.h"
#include "inputs/loader/loader_cache.h"

namespace hipcache::inputs {
namespace {

constexpr std::size_t kMost = 1'000;

std::vector<std::string> named_by(const std::string& file) {
  std::vector<std::string> directories;
  for (const std::string& list : library_paths_of(file))
    for (std::string& directory : directories_in(list, directory_name(file)))
      directories.push_back(std::move(directory));
  return directories;
}

// Empty if none of the directories has the library.
std::string found_in(const std::vector<std::string>& directories, const std::string& name) {
  for (const std::string& directory : directories) {
    const std::string path = join_path(directory, name);
    if (path.starts_with('/'))
      if (std::optional<std::string> resolved = resolved_path(path)) return *std::move(resolved);
  }
  return "";
}

}  // namespace

std::set<std::string> libraries_loaded_by(const std::string& program) {
  const std::vector<std::string> of_program = named_by(program);
  std::set<std::string> libraries;
  std::deque<std::string> left{program};
  while (!left.empty() && libraries.size() < kMost) {
    const std::string file = std::move(left.front());
    left.pop_front();
    std::vector<std::string> directories = named_by(file);
    directories.insert(directories.end(), of_program.begin(), of_program.end());
    directories.insert(directories.end(), kDefaultDirectories.begin(), kDefaultDirectories.end());
    for (const std::string& name : libraries_needed_by(file).value_or(std::vector<std::string>()))
      if (std::string path = found_in(directories, name); !path.empty() && libraries.insert(path).second)
        left.push_back(std::move(path));
  }
  return libraries;
}

}  // namespace hipcache::inputs
