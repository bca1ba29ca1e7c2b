#include "hipcache/plan/cuid.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/MD5.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/base/files.h"

namespace hipcache::plan {
namespace {

// By spelling alone: a link in the way changes the id, never its being one's own.
std::string normal(const std::string& path) { return std::filesystem::path(path).lexically_normal().string(); }

std::string without_trailing_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

// A directory that stands for itself on every machine: its place in a path is taken by its name.
struct Root {
  std::string directory;
  std::string name;
};

// The output's root and the base directory, the deeper one first: it is the closer name for what lies in both.
std::vector<Root> roots_of(const std::string& root, const std::string& base_directory) {
  std::vector<Root> roots;
  if (!root.empty()) roots.push_back({without_trailing_slash(normal(root)), "<root>"});
  if (!base_directory.empty()) roots.push_back({without_trailing_slash(normal(base_directory)), "<base>"});
  std::stable_sort(roots.begin(), roots.end(),
                   [](const Root& a, const Root& b) { return a.directory.size() > b.directory.size(); });
  return roots;
}

std::string relative_path(const std::string& absolute, const std::vector<Root>& roots) {
  std::string path = normal(absolute);
  for (const Root& root : roots) {
    if (is_within(path, root.directory)) return root.name + path.substr(root.directory.size());
  }
  return path;
}

// Whether a path that begins with a directory's name goes on, or ends, after it: "/b" is in "-I/b/x" and "/b=.", not in
// "/bc".
bool ends_name(std::string_view rest) {
  return rest.empty() || std::string_view("/=:,;").find(rest[0]) != std::string_view::npos;
}

std::string with_names(std::string argument, const std::vector<Root>& roots) {
  for (const Root& root : roots) {
    if (root.directory == "/") continue;
    for (auto at = argument.find(root.directory); at != std::string::npos; at = argument.find(root.directory, at + 1)) {
      if (ends_name(std::string_view(argument).substr(at + root.directory.size()))) {
        argument.replace(at, root.directory.size(), root.name);
      }
    }
  }
  return argument;
}

// The driver's own business, of which the jobs and their outputs know nothing.
bool is_cosmetic(std::string_view argument) {
  return argument == "-pipe" || argument == "-Qunused-arguments" || argument.starts_with("-parallel-jobs=");
}

}  // namespace

std::string output_root(const std::string& absolute_output, const std::string& base_directory,
                        const std::function<bool(const std::string& path)>& exists) {
  const std::string output = normal(absolute_output);
  if (!base_directory.empty()) {
    const std::string base = without_trailing_slash(normal(base_directory));
    if (is_within(output, base)) return base;
  }
  std::string topmost;
  for (std::string directory(directory_name(output)); directory != "/" && directory != ".";
       directory = std::string(directory_name(directory))) {
    if (exists(directory + "/CMakeCache.txt") || exists(directory + "/build.ninja")) topmost = directory;
  }
  return topmost;
}

std::string make_cuid(const command::Invocation& invocation, const std::string& working_directory,
                      const std::string& base_directory, const std::string& root) {
  const std::vector<Root> roots = roots_of(root, base_directory);
  Hasher hasher("hipcache cuid 2");
  hasher.field(relative_path(join_path(working_directory, invocation.source), roots));
  hasher.field(relative_path(join_path(working_directory, invocation.object), roots));
  for (const std::string& argument : invocation.for_cuid)
    if (!is_cosmetic(argument)) hasher.field(with_names(argument, roots));
  return hasher.finish().hex().substr(0, 16);
}

bool shows_cuid(std::string_view output, const std::string& cuid) {
  if (cuid.empty()) return false;
  const std::string hash = llvm::utohexstr(llvm::MD5Hash(cuid), /*LowerCase=*/true);
  const std::array<std::string_view, 6> traces = {cuid,       hash,      "__hip_cuid", "__hip_gpubin_handle_",
                                                  ".static.", ".intern."};
  return std::any_of(traces.begin(), traces.end(),
                     [&](std::string_view trace) { return output.find(trace) != std::string_view::npos; });
}

}  // namespace hipcache::plan
