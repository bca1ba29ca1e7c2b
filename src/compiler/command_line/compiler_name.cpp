#include "compiler/command_line/compiler_name.h"

#include <algorithm>
#include <array>

#include "hipcache/base/files.h"
#include "hipcache/base/text.h"
#include "hipcache/compiler/driver_name.h"

namespace hipcache::compiler {
namespace {

// Programs that run the command in their arguments.
constexpr auto kRunners = std::to_array<std::string_view>(
    {"env", "nice", "ionice", "time", "taskset", "chrt", "nohup", "setarch", "stdbuf", "timeout", "numactl", "strace"});
// Build tools also put a link launcher before these.
constexpr auto kNoCompilers = std::to_array<std::string_view>({"cmake", "rm", "sh", "bash", "ln", "mv", "cp", "true"});
constexpr auto kOtherCaches = std::to_array<std::string_view>({"ccache", "sccache", "distcc", "icecc"});

bool is_version(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
}

std::string_view without_version(std::string_view name) {
  const auto dash = name.rfind('-');
  if (dash != std::string_view::npos && is_version(name.substr(dash + 1))) return name.substr(0, dash);
  return name;
}

std::string_view without_target(std::string_view name) {
  const auto dash = name.rfind('-');
  return dash == std::string_view::npos ? name : name.substr(dash + 1);
}

}  // namespace

std::string_view program_name(std::string_view path) { return without_target(without_version(base_name(path))); }

bool is_linker(std::string_view path) {
  const std::string_view name = program_name(path);
  return name == "ld" || name == "ld.bfd" || name == "ld.gold" || name == "ld.lld";
}

bool is_clang_driver(std::string_view path) {
  const std::string_view name = program_name(path);
  return name == "clang" || name == "clang++" || name == "amdclang" || name == "amdclang++";
}

bool names_clang_driver(std::string_view path) { return is_clang_driver(path); }

bool names_driver(std::string_view path) { return is_compiler(path); }

bool names_hipcc(std::string_view path) { return is_hipcc(path); }

bool names_other_cache(std::string_view path) { return holds(kOtherCaches, base_name(path)); }

bool is_hipcc(std::string_view path) { return program_name(path) == "hipcc"; }

bool is_compiler(std::string_view path) {
  const std::string_view name = program_name(path);
  return is_clang_driver(path) || name == "gcc" || name == "g++" || name == "cc" || name == "c++" || name == "hipcc";
}

std::optional<Family> further_compiler(std::string_view path, const std::vector<std::string>& named) {
  const std::string name(base_name(path));
  for (const std::string& entry : named) {
    if (entry == name) return Family::unknown;
    if (entry == name + "=gcc") return Family::gcc;
    if (entry == name + "=clang") return Family::clang;
  }
  return std::nullopt;
}

std::string advice_on(const std::string& program) {
  const std::string name(base_name(program));
  if (holds(kOtherCaches, name) || holds(kNoCompilers, name)) return program;
  if (holds(kRunners, name)) return program + ": put hipcache after it, as in \"" + name + " hipcache clang++ ...\"";
  return program + ": if this is a compiler, name it: HIPCACHE_COMPILERS=" + name;
}

}  // namespace hipcache::compiler
