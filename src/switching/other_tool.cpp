#include "hipcache/switching/other_tool.h"

#include <algorithm>

#include "hipcache/base/files.h"
#include "switching/counterparts.h"

namespace hipcache::switching {

Tool tool_named(std::string_view path) {
  const std::string_view name = base_name(path);
  if (name == "ccache") return Tool::ccache;
  return name == "sccache" ? Tool::sccache : Tool::none;
}

std::string_view name_of(Tool tool) { return tool == Tool::ccache ? "ccache" : "sccache"; }

std::string version_of(Tool tool) { return Counterparts(name_of(tool)).version() + ".0"; }

std::optional<std::string> instead_of(Tool tool, const std::string& option) {
  const Counterparts table(name_of(tool));
  const Counterpart* known = option.starts_with('-') ? table.find(option) : nullptr;
  if (known == nullptr) return std::nullopt;
  std::string line = option + " of " + std::string(name_of(tool)) + ": ";
  line += known->ours.empty() ? "hipcache has no such option" : "use " + known->ours + " instead";
  line += ". " + known->text;
  std::erase(line, '`');
  return line;
}

}  // namespace hipcache::switching
