// Links of relocatable device code, which also compile. `clang++ --hip-link -fgpu-rdc a.o b.o -o
// app` runs the device backend once per architecture. Every other link is left to the compiler.
#ifndef HIPCACHE_SRC_COMPILER_COMMAND_LINE_RDC_LINK_H
#define HIPCACHE_SRC_COMPILER_COMMAND_LINE_RDC_LINK_H

#include <llvm/Option/ArgList.h>

#include <string_view>

namespace hipcache::compiler {

bool is_rdc_link(const llvm::opt::InputArgList& arguments);

// Decided by extension, as in clang's driver: anything that is not a known source goes to the
// linker.
bool is_source(std::string_view path);

}  // namespace hipcache::compiler

#endif
