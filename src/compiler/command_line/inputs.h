// The files that a driver's command compiles or links.
#ifndef HIPCACHE_SRC_COMPILER_COMMAND_LINE_INPUTS_H
#define HIPCACHE_SRC_COMPILER_COMMAND_LINE_INPUTS_H

#include <llvm/Option/ArgList.h>

#include <string>
#include <vector>

namespace hipcache::compiler {

struct Input {
  std::string path;
  bool is_hip = false;
  bool is_for_linker = false;
  bool may_be_value = false;  // of an unknown option before it
};

// Files in the order given, each with the language in effect at its position. Arguments after "--"
// are files, too. Without the words that are taken for values of unknown options.
std::vector<Input> find_inputs(const llvm::opt::InputArgList& arguments, bool by_hipcc);

}  // namespace hipcache::compiler

#endif
