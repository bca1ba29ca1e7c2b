#include "daemon/request/python_start.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "hipcache/base/files.h"
#include "hipcache/base/text.h"

namespace hipcache::daemon {

namespace {

// "from MODULE import main", "from MODULE.__main__ import main".
bool imports_from(std::string_view line, std::string_view module) {
  constexpr std::string_view kFrom = "from ";
  line.remove_prefix(kFrom.size());
  if (!line.starts_with(module)) return false;
  line.remove_prefix(module.size());
  return line.starts_with(" import ") || line.starts_with(".__main__ import ");
}

}  // namespace

bool imports_only(std::string_view script, std::string_view module) {
  if (!script.starts_with("#!") || script.find("__import__") != std::string_view::npos) return false;
  bool found = false;
  while (!script.empty()) {
    const std::size_t end = std::min(script.find('\n'), script.size());
    const std::string_view line = trimmed(script.substr(0, end));
    script.remove_prefix(std::min(end + 1, script.size()));
    if (line.starts_with("import ") && line != "import re" && line != "import sys") return false;
    if (!line.starts_with("from ")) continue;
    if (!imports_from(line, module)) return false;
    found = true;
  }
  return found;
}

bool only_starts_by_python(const Request& request) {
  constexpr std::uint64_t kScriptLimit = 4096;
  const compiler::Invocation& invocation = request.invocation;
  const std::string& module = invocation.opaque.python_module;
  if (module.empty()) return false;
  if (invocation.opaque.by_python_module) return true;
  const Result<std::string> script = read_file(request.compiler, kScriptLimit);
  return script && imports_only(*script, module);
}

}  // namespace hipcache::daemon
