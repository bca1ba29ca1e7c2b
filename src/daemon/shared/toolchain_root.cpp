#include "daemon/shared/toolchain_root.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "hipcache/base/files.h"

namespace hipcache::daemon {
namespace {

bool holds(const std::string& directory, std::string_view name) {
  return ::access((directory + "/").append(name).c_str(), F_OK) == 0;
}

template <std::size_t kCount>
bool holds_any(const std::string& directory, const std::array<std::string_view, kCount>& names) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return holds(directory, name); });
}

bool is_the_systems(const std::string& directory) {
  return is_within(directory, "/usr") || directory.find('/', 1) == std::string::npos;
}

// ROCm has its clang in lib/llvm, and its device libraries and headers in the directory around that.
std::string rocm_around(const std::string& prefix) {
  constexpr auto kEnds = std::to_array<std::string_view>({"/lib/llvm", "/lib64/llvm", "/llvm"});
  constexpr auto kMarks =
      std::to_array<std::string_view>({".info/version", "amdgcn/bitcode", "include/hip", "bin/hipcc"});
  const auto end =
      std::find_if(kEnds.begin(), kEnds.end(), [&](std::string_view name) { return prefix.ends_with(name); });
  if (end == kEnds.end()) return prefix;
  std::string around = prefix.substr(0, prefix.size() - end->size());
  return !is_the_systems(around) && holds_any(around, kMarks) ? around : prefix;
}

std::string root_of(const std::string& program) {
  constexpr auto kOwn =
      std::to_array<std::string_view>({"lib/clang", "lib64/clang", "lib/llvm/bin", "lib/gcc", "libexec/gcc"});
  const std::string programs(directory_name(program));
  const std::string prefix(directory_name(programs));
  if (base_name(programs) != "bin" || is_the_systems(prefix) || !holds_any(prefix, kOwn)) return "";
  return rocm_around(prefix);
}

// The directory above the compiler, by the name under which it was called, that leads to the root.
std::string alias_of(const std::string& root, const std::string& compiler) {
  if (is_within(compiler, root) || std::filesystem::path(compiler).lexically_normal() != compiler) return "";
  for (std::string above(directory_name(compiler)); above.size() > 1; above = directory_name(above))
    if (resolved_path(above) == root) return above;
  return "";
}

}  // namespace

ToolchainRoot toolchain_root(const std::string& compiler, const std::string& working_directory) {
  const std::string root = root_of(resolved_path(compiler).value_or(""));
  if (root.empty() || is_within(working_directory, root)) return {};
  return {root, alias_of(root, compiler)};
}

}  // namespace hipcache::daemon
