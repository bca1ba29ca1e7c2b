// Links of relocatable device code: the links that compile. `clang++ --hip-link -fgpu-rdc a.o b.o -o app` has the
// devices' backend run once per arch; every other link is left to the compiler.
#ifndef HIPCACHE_SRC_COMMAND_RDC_LINK_H
#define HIPCACHE_SRC_COMMAND_RDC_LINK_H

#include <llvm/Option/ArgList.h>

#include <string_view>

namespace hipcache::command {

bool is_rdc_link(const llvm::opt::InputArgList& arguments);

// By its extension, as clang's driver does it: whatever is not known as a source is for the linker.
bool is_source(std::string_view path);

}  // namespace hipcache::command

#endif
