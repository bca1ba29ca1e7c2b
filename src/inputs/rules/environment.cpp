#include "inputs/rules/environment.h"

#include <algorithm>
#include <array>

#include "hipcache/base/files.h"
#include "hipcache/base/text.h"

namespace hipcache::inputs {
namespace {

constexpr auto kLeftOut = std::to_array<std::string_view>({"PATH", "PWD", "TMPDIR", "TMP", "TEMP"});
constexpr auto kLeftOutPrefixes = std::to_array<std::string_view>({"HIPCACHE_", "FAKEROOT", "FAKED_"});

// Variables of the shell, the terminal, the session, make and ninja.
constexpr auto kOfNobody = std::to_array<std::string_view>(
    {"OLDPWD", "SHLVL", "_", "TERM", "COLUMNS", "LINES", "LS_COLORS", "WINDOWID", "MAKEFLAGS", "MFLAGS", "MAKELEVEL",
     "MAKE_TERMOUT", "MAKE_TERMERR", "MAKEOVERRIDES", "NINJA_STATUS"});
constexpr auto kOfNobodyPrefixes = std::to_array<std::string_view>({"SSH_", "XDG_SESSION_", "DBUS_", "GPG_"});

// Names of compiler programs, without target prefix and version suffix.
constexpr auto kToolNames = std::to_array<std::string_view>({"clang",
                                                             "gcc",
                                                             "g++",
                                                             "cc1",
                                                             "cc1plus",
                                                             "collect2",
                                                             "lto1",
                                                             "lto-wrapper",
                                                             "as",
                                                             "ld",
                                                             "ar",
                                                             "ranlib",
                                                             "ld.bfd",
                                                             "ld.gold",
                                                             "ld.lld",
                                                             "ld.mold",
                                                             "mold",
                                                             "lld",
                                                             "lld-link",
                                                             "c++",
                                                             "cc",
                                                             "cpp",
                                                             "clang-offload-bundler",
                                                             "clang-offload-packager",
                                                             "clang-linker-wrapper",
                                                             "amdgpu-arch",
                                                             "iree-compile",
                                                             "iree-opt",
                                                             "iree-link",
                                                             "iree-lld",
                                                             "llc",
                                                             "opt"});

bool is_tool(std::string_view name) { return holds(kToolNames, name) || name.starts_with("llvm-"); }

// Whether the digest of the whole environment omits the variable. A script may use TMP and TEMP for more than temporary
// files, so they count; TMPDIR does not, as each step gets its own. PATH and PWD have questions of their own.
bool is_left_out_of_all(std::string_view variable) {
  return is_left_out(variable) && variable != "TMP" && variable != "TEMP";
}

std::string_view name_of(std::string_view entry) { return entry.substr(0, entry.find('=')); }

}  // namespace

bool is_left_out(std::string_view variable) {
  return holds(kLeftOut, variable) || holds_prefix_of(kLeftOutPrefixes, variable);
}

// Examples: "x86_64-linux-gnu-ld.bfd", "clang++-19", "clang-19".
std::string_view tool_of(std::string_view program) {
  std::string_view name = base_name(program);
  const auto version = name.find_last_not_of("0123456789.");
  if (version != std::string_view::npos && name[version] == '-') name = name.substr(0, version);
  if (name.ends_with("clang++")) name.remove_suffix(2);
  for (;;) {
    if (is_tool(name)) return name;
    const auto dash = name.find('-');
    if (dash == std::string_view::npos) return {};
    name.remove_prefix(dash + 1);
  }
}

bool asks_by_name(std::string_view program) { return !tool_of(program).empty(); }

bool detects_hardware(std::string_view program) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"amdgpu-arch", "nvptx-arch", "offload-arch", "rocm_agent_enumerator", "rocminfo", "nvidia-smi"});
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](std::string_view name) { return base_name(program).starts_with(name); });
}

Digest digest_environment(const RunContext& from) {
  Hasher hasher("hipcache environment 2");
  for (const std::string& entry : from.environment) {
    const std::string_view name = name_of(entry);
    if (is_left_out_of_all(name) || holds(kOfNobody, name) || holds_prefix_of(kOfNobodyPrefixes, name)) continue;
    hasher.field(entry);
  }
  return hasher.finish();
}

Digest digest_of_interpreters(const RunContext& from) {
  constexpr auto kNames =
      std::to_array<std::string_view>({"ENV", "SHELLOPTS", "BASHOPTS", "POSIXLY_CORRECT", "IFS", "PS4", "CDPATH",
                                       "GLOBIGNORE", "EXECIGNORE", "LANG", "LANGUAGE"});
  constexpr auto kPrefixes = std::to_array<std::string_view>({"BASH", "PERL", "LC_"});
  Hasher hasher("hipcache environment of interpreters");
  for (const std::string& entry : from.environment)
    if (holds(kNames, name_of(entry)) || holds_prefix_of(kPrefixes, name_of(entry))) hasher.field(entry);
  return hasher.finish();
}

}  // namespace hipcache::inputs
