// Linker options that prevent caching a link as an opaque step.
//
// Problem: a trace shows every file that a linker reads and writes, but not that its result depends
// on randomness or an earlier run.
// Choice: a list of the options that GNU ld, gold, lld and mold document as such. Every other
// option is part of the key, and its files are in the trace.
// Rejected: a list of safe options, as for host links of relocatable device code. Each linker has
// hundreds of options, and opaque links need no file names from them.
#ifndef HIPCACHE_SRC_COMPILER_COMMAND_LINE_LINKER_OPTIONS_H
#define HIPCACHE_SRC_COMPILER_COMMAND_LINE_LINKER_OPTIONS_H

#include <optional>
#include <string>
#include <vector>

#include "hipcache/compiler/invocation.h"

namespace hipcache::compiler {

// `arguments`: of a compiler's driver, with the program first. Checks what -Wl, and -Xlinker pass
// to the linker.
std::optional<Uncacheable> refused_for_linker(const std::vector<std::string>& arguments);

// `arguments`: of a linker that the user runs directly; response files expanded.
std::optional<Uncacheable> refused_by_linker(const std::vector<std::string>& arguments);

}  // namespace hipcache::compiler

#endif
