#include "daemon/request/request_roots.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "hipcache/base/files.h"
#include "hipcache/compiler/hip/cuid.h"
#include "hipcache/compiler/option_facts.h"

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

// The name that PWD uses for a directory above the working directory; "" if it has no name of its own.
std::string logical_name(const std::string& root, const std::string& physical, const std::string& logical) {
  const std::string_view rest = std::string_view(physical).substr(root.size());
  if (logical == physical || !logical.ends_with(rest)) return "";
  const std::string name = logical.substr(0, logical.size() - rest.size());
  return real_path(name) == root ? name : "";
}

// The directory of a file in a directory "/tmp/hipccXXXXXXXX", or "".
std::string_view unpacked_around(std::string_view path) {
  constexpr std::string_view kBegin = "/tmp/hipcc";
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  constexpr std::size_t kRandom = 8;
  if (!path.starts_with(kBegin)) return "";
  const std::string_view directory = directory_name(path);
  const std::string_view random = directory.substr(std::min(directory.size(), kBegin.size()));
  return random.size() == kRandom && random.find_first_not_of(kLetters) == random.npos ? directory : "";
}

bool may_hide(const std::string& argument) {
  namespace facts = compiler::facts;
  return argument.starts_with('@') || compiler::option_has(argument, facts::hides_names | facts::hides_debug_names |
                                                                         facts::hides_source_name | facts::defers_code);
}

// The directories into which hipcc unpacked archives, in the command's order. Their names are random, and the compiler
// is given the files in them as inputs. None if any argument but an input names one, because clang makes the id
// of a translation unit of all arguments but inputs; nor if an option hides names in outputs.
std::vector<std::string> unpacked_archives(const std::vector<std::string>& argv) {
  std::vector<std::string> found;
  for (std::size_t i = 1; i < argv.size(); ++i) {
    const std::size_t at = argv[i].find("/tmp/hipcc");
    if (at == std::string::npos) continue;
    const std::string directory(unpacked_around(std::string_view(argv[i]).substr(at)));
    const bool is_input = at == 0 && compiler::is_complete(argv[i - 1]);
    if (directory.empty() || !is_input) return {};
    if (std::find(found.begin(), found.end(), directory) == found.end()) found.push_back(directory);
  }
  if (!found.empty() && std::any_of(argv.begin(), argv.end(), may_hide)) return {};
  return found;
}

}  // namespace

ToolchainRoot toolchain_root(const std::string& compiler, const std::string& working_directory) {
  const std::string root = root_of(resolved_path(compiler).value_or(""));
  if (root.empty() || is_within(working_directory, root)) return {};
  return {root, alias_of(root, compiler)};
}

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
  const std::vector<std::string> unpacked = unpacked_archives(argv);
  for (std::size_t i = 0; i < unpacked.size(); ++i)
    roots.add(kUnpackedMark + (i == 0 ? "" : std::to_string(i + 1)), unpacked[i]);
  // PATH may find the compiler under a name that no argument has.
  std::vector<std::string> named = argv;
  named.push_back(compiler);
  roots.note_forms(named, logical);
  return roots;
}

}  // namespace hipcache::daemon
