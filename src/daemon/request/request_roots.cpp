#include "daemon/request/request_roots.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "daemon/shared/toolchain_root.h"
#include "hipcache/base/files.h"
#include "hipcache/compiler/hip/build_root.h"

namespace hipcache::daemon {
namespace {

// The name that PWD uses for a directory above the working directory; "" if it has no name of its own.
std::string logical_name(const std::string& root, const std::string& physical, const std::string& logical) {
  const std::string_view rest = std::string_view(physical).substr(root.size());
  if (logical == physical || !logical.ends_with(rest)) return "";
  const std::string name = logical.substr(0, logical.size() - rest.size());
  return real_path(name) == root ? name : "";
}

}  // namespace

Roots roots_of(const std::vector<std::string>& argv, const std::string& compiler, const inputs::RunContext& from,
               const std::vector<std::string>& base_directories) {
  if (std::any_of(argv.begin(), argv.end(), Roots::holds_token)) return {};
  Roots roots;
  const std::string& physical = from.working_directory;
  const std::string logical = from.logical_directory();
  const auto add_build = [&](const char* mark, const std::string& root) {
    if (!root.empty()) roots.add(mark, root, logical_name(root, physical, logical));
  };
  const auto exists = [](const std::string& path) { return ::access(path.c_str(), F_OK) == 0; };
  const hip::BuildRoots builds = hip::build_roots(physical, exists);
  add_build(kBuildMark, builds.nearest);
  add_build(kOuterBuildMark, builds.topmost);
  for (std::size_t i = 0; i < base_directories.size(); ++i)
    roots.add(kBaseMark + (i == 0 ? "" : std::to_string(i + 1)), real_path(base_directories[i]), base_directories[i]);
  const ToolchainRoot toolchain = toolchain_root(compiler, physical);
  if (!toolchain.path.empty()) roots.add(kToolchainMark, toolchain.path, toolchain.alias);
  // PATH may find the compiler under a name that no argument has.
  std::vector<std::string> named = argv;
  named.push_back(compiler);
  roots.note_forms(named, logical);
  return roots;
}

}  // namespace hipcache::daemon
