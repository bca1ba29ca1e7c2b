#include "daemon/request/request_roots.h"

#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "hipcache/base/files.h"
#include "hipcache/base/text.h"
#include "hipcache/compiler/hip/cuid.h"
#include "hipcache/compiler/option_facts.h"
#include "hipcache/config/settings.h"

namespace hipcache::daemon {

namespace {

constexpr std::uint64_t kGitFile = 64u << 10;  // more than any of the files that are read here has

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

// The nearest directory that holds ".git": a directory, or a file in worktrees and submodules. "" if there is none.
std::string checkout_around(std::string directory) {
  for (; directory.size() > 1 && directory.front() == '/'; directory = std::string(directory_name(directory)))
    if (::access((directory + "/.git").c_str(), F_OK) == 0) return directory;
  return "";
}

std::string first_line(const std::string& path) {
  const Result<std::string> text = read_file(path, kGitFile);
  return text ? text->substr(0, text->find('\n')) : "";
}

// Where the worktrees of a repository have what is common to them.
std::string common_directory(const std::string& checkout) {
  constexpr std::string_view kLink = "gitdir: ";
  std::string git = checkout + "/.git";
  const std::string link = first_line(git);
  if (!link.starts_with(kLink)) return git;
  const std::string own = normal_path(join_path(checkout, link.substr(kLink.size())));
  const std::string common = first_line(own + "/commondir");
  return common.empty() ? own : normal_path(join_path(own, common));
}

// The URL of the remote "origin"; "" if there is none.
std::string origin_in(std::string_view config) {
  bool is_origin = false;
  while (!config.empty()) {
    const std::size_t end = std::min(config.find('\n'), config.size());
    const std::string_view line = trimmed(config.substr(0, end));
    config.remove_prefix(std::min(end + 1, config.size()));
    if (line.starts_with('[')) is_origin = line == "[remote \"origin\"]";
    const std::size_t equals = line.find('=');
    if (is_origin && equals != line.npos && trimmed(line.substr(0, equals)) == "url")
      return std::string(trimmed(line.substr(equals + 1)));
  }
  return "";
}

std::string identity_of(const std::string& checkout) {
  const std::string common = common_directory(checkout);
  const Result<std::string> config = read_file(common + "/config", kGitFile);
  if (!config) return "";
  const std::string origin = origin_in(*config);
  return origin.empty() ? common : origin;
}

// Where a path that begins in a text ends, or a part of it does.
constexpr std::string_view kEndsOfPaths = "/:,;=\"' ";

// The directories in the text that the pattern matches, in their order, without repetition.
void add_matches(const std::string& pattern, std::string_view text, std::vector<std::string>& found) {
  const std::string_view head = std::string_view(pattern).substr(0, pattern.find_first_of(config::kOfPatterns));
  for (std::size_t at = text.find(head); at != text.npos; at = text.find(head, at + 1)) {
    const std::string_view rest = text.substr(at);
    for (std::size_t end = rest.find_first_of(kEndsOfPaths, 1);; end = rest.find_first_of(kEndsOfPaths, end + 1)) {
      const std::string directory(rest.substr(0, end));
      if (fnmatch(pattern.c_str(), directory.c_str(), FNM_PATHNAME | FNM_PERIOD) == 0 &&
          !hipcache::holds(found, directory))
        found.push_back(directory);
      if (end == rest.npos || rest[end] != '/') break;
    }
  }
}

// The setting with what its patterns match in the texts. A directory that is really called so is no pattern.
std::vector<std::string> without_patterns(const std::vector<std::string>& setting,
                                          const std::vector<std::string>& texts) {
  std::vector<std::string> all;
  for (const std::string& base : setting) {
    if (!config::is_pattern(base) || ::access(base.c_str(), F_OK) == 0) {
      all.push_back(base);
      continue;
    }
    for (const std::string& text : texts) add_matches(without_slash(base), text, all);
  }
  return all;
}

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

// Whether Perl's mktemp and mkdtemp make such a name of so many letters.
bool is_random(std::string_view name, std::size_t letters) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  return name.size() == letters && name.find_first_not_of(kLetters) == name.npos;
}

// The directory of a file in a directory "/tmp/hipccXXXXXXXX", or "".
std::string_view unpacked_around(std::string_view path) {
  constexpr std::string_view kBegin = "/tmp/hipcc";
  if (!path.starts_with(kBegin)) return "";
  const std::string_view directory = directory_name(path);
  return is_random(directory.substr(std::min(directory.size(), kBegin.size())), 8) ? directory : "";
}

// "libx.a" of "libx.aXXXX", the archive that hipcc makes there of the members without code for devices; or "".
std::string_view packed_again(std::string_view name) {
  constexpr std::string_view kEnding = ".a";
  constexpr std::size_t kLetters = 4;
  const std::size_t end = name.size() - std::min(name.size(), kLetters);
  return is_random(name.substr(end), kLetters) && name.substr(0, end).ends_with(kEnding) ? name.substr(0, end) : "";
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

BaseDirectories base_directories_of(const std::vector<std::string>& setting, const std::vector<std::string>& argv,
                                    const std::string& source, const inputs::RunContext& from) {
  if (setting.empty()) {
    const std::string root =
        checkout_around(source.empty() ? from.working_directory : std::string(directory_name(normal_path(source))));
    return root.empty() ? BaseDirectories{} : BaseDirectories{{root}, true};
  }
  if (setting.size() == 1 && !config::is_pattern(setting.front())) return {setting, false};
  std::vector<std::string> texts = argv;
  texts.insert(texts.end(), {from.working_directory, from.logical_directory(), normal_path(source)});
  BaseDirectories bases{without_patterns(setting, texts), false};
  const auto is_named = [&](const std::string& base) {
    return std::any_of(texts.begin(), texts.end(),
                       [&](const std::string& text) { return mentions_directory(text, base); });
  };
  const auto concerns = [&](const std::string& base) {
    return is_named(without_slash(base)) || is_named(real_path(base));
  };
  bases.is_chosen = std::stable_partition(bases.all.begin(), bases.all.end(), concerns) != bases.all.end();
  return bases;
}

std::string repository_of(const std::string& directory) {
  const std::string checkout = checkout_around(directory);
  if (checkout.empty()) return directory;
  return identity_of(checkout) + '\n' + directory.substr(checkout.size());
}

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
  for (std::size_t i = 0; i < unpacked.size(); ++i) {
    const std::string mark = kUnpackedMark + (i == 0 ? "" : std::to_string(i + 1));
    roots.add(mark, unpacked[i]);
    for (const std::string& argument : argv)
      if (const std::string_view archive = packed_again(base_name(argument));
          !archive.empty() && directory_name(argument) == unpacked[i])
        roots.add(mark + "/" + std::string(archive), argument);
  }
  // PATH may find the compiler under a name that no argument has.
  std::vector<std::string> named = argv;
  named.push_back(compiler);
  roots.note_forms(named, logical);
  return roots;
}

}  // namespace hipcache::daemon
