// Finds out which of IREE's compilers a command runs, and where its own arguments begin.
#ifndef HIPCACHE_SRC_COMPILER_IREE_IREE_TOOL_H
#define HIPCACHE_SRC_COMPILER_IREE_IREE_TOOL_H

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace hipcache::compiler {

struct IreeTool {
  std::string name;           // "iree-compile"
  std::string python_module;  // "iree.compiler.tools.scripts.iree_compile": what starts it from Python
  std::size_t arguments = 1;  // position of the first argument that the tool gets
  bool by_module = false;     // "python3 -m MODULE"
};

// Nothing for any other program.
std::optional<IreeTool> iree_tool_of(const std::vector<std::string>& argv);

}  // namespace hipcache::compiler

#endif
