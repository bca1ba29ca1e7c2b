#include <sys/stat.h>

#include <algorithm>

#include "hipcache/base/files.h"
#include "hipcache/inputs/world.h"

namespace hipcache::inputs {
namespace {

std::string_view name_of(std::string_view entry) { return entry.substr(0, entry.find('=')); }

bool same_directory(const char* left, const char* right) {
  struct stat a = {};
  struct stat b = {};
  return ::stat(left, &a) == 0 && ::stat(right, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

}  // namespace

// By name and not by line ("A.B=" sorts before "A=" by line); stable, since getenv answers with the first of equal
// names.
void sort_environment(std::vector<std::string>& environment) {
  std::stable_sort(environment.begin(), environment.end(),
                   [](const std::string& left, const std::string& right) { return name_of(left) < name_of(right); });
}

const char* Surroundings::variable(std::string_view name) const {
  auto at = std::lower_bound(environment.begin(), environment.end(), name,
                             [](const std::string& entry, std::string_view wanted) { return name_of(entry) < wanted; });
  if (at == environment.end() || name_of(*at) != name || at->size() == name.size()) return nullptr;
  return at->c_str() + name.size() + 1;
}

std::string Surroundings::path_of(const std::string& name) const {
  const std::string local = base.local_path(name);
  return local.empty() ? local : join_path(working_directory, local);
}

std::string Surroundings::logical_directory() const {
  const char* pwd = variable("PWD");
  if (pwd == nullptr || pwd[0] != '/' || !same_directory(pwd, working_directory.c_str())) return working_directory;
  return pwd;
}

}  // namespace hipcache::inputs
