#include "compiler/iree/iree_tool.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "hipcache/base/files.h"

namespace hipcache::compiler {
namespace {

constexpr auto kTools = std::to_array<std::string_view>({"iree-compile", "iree-opt", "iree-link"});
constexpr std::string_view kScripts = "iree.compiler.tools.scripts.";
constexpr std::string_view kMain = ".__main__";

// The package of pip's scripts has a module for each tool.
std::string module_of(std::string_view tool) {
  std::string module(kScripts);
  module += tool;
  std::replace(module.begin(), module.end(), '-', '_');
  return module;
}

// "python", "python3", "python3.11", in any directory.
bool is_python(std::string_view program) {
  std::string_view name = base_name(program);
  if (!name.starts_with("python")) return false;
  name.remove_prefix(std::string_view("python").size());
  return name.find_first_not_of("0123456789.") == std::string_view::npos;
}

// Position of the module's name in "python3 -P -m MODULE"; 0 if the command has another form.
std::size_t module_position(const std::vector<std::string>& argv) {
  constexpr auto kFlags = std::to_array<std::string_view>({"-B", "-E", "-I", "-P", "-s", "-S", "-u"});
  if (!is_python(argv[0])) return 0;
  std::size_t at = 1;
  while (at < argv.size() && std::find(kFlags.begin(), kFlags.end(), argv[at]) != kFlags.end()) ++at;
  return at + 1 < argv.size() && argv[at] == "-m" ? at + 1 : 0;
}

}  // namespace

std::optional<IreeTool> iree_tool_of(const std::vector<std::string>& argv) {
  if (argv.empty()) return std::nullopt;
  const std::size_t module_at = module_position(argv);
  const bool by_module = module_at != 0;
  std::string_view asked = by_module ? std::string_view(argv[module_at]) : base_name(argv[0]);
  if (by_module && asked.ends_with(kMain)) asked.remove_suffix(kMain.size());
  for (const std::string_view tool : kTools) {
    std::string module = module_of(tool);
    if (asked != (by_module ? std::string_view(module) : tool)) continue;
    return IreeTool{std::string(tool), std::move(module), module_at + 1, by_module};
  }
  return std::nullopt;
}

}  // namespace hipcache::compiler
