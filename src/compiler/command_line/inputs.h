// What a driver's command compiles or links.
#ifndef HIPCACHE_SRC_COMPILER_COMMAND_LINE_INPUTS_H
#define HIPCACHE_SRC_COMPILER_COMMAND_LINE_INPUTS_H

#include <llvm/Option/ArgList.h>

#include <string>
#include <string_view>
#include <vector>

namespace hipcache::compiler {

// Links of relocatable device code, which also compile. `clang++ --hip-link -fgpu-rdc a.o b.o -o
// app` runs the device backend once per architecture. Every other link is left to the compiler.

bool is_rdc_link(const llvm::opt::InputArgList& arguments);

// Decided by extension, as in clang's driver: anything that is not a known source goes to the
// linker.
bool is_source(std::string_view path);

// The files that a driver's command compiles or links.

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
