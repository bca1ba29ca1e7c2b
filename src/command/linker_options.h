// Options of linkers that keep a link from being cached whole.
//
// The problem: a trace shows every file that a linker reads and writes, but not that its result depends on chance or on
// an earlier run. The choice: a list of what GNU ld, gold, lld and mold document as such. Every other option is part of
// the key, and its files are in the trace. Rejected: a list of the options that are safe, as host links of relocatable
// device code have it; each linker has hundreds, and nobody reads the names of files out of them here.
#ifndef HIPCACHE_SRC_COMMAND_LINKER_OPTIONS_H
#define HIPCACHE_SRC_COMMAND_LINKER_OPTIONS_H

#include <optional>
#include <string>
#include <vector>

#include "hipcache/command/invocation.h"

namespace hipcache::command {

// `arguments`: of a compiler's driver, [0] being the program: reads what -Wl, and -Xlinker hand on.
std::optional<Uncacheable> refused_for_linker(const std::vector<std::string>& arguments);

// `arguments`: of a linker that the user runs; response files expanded.
std::optional<Uncacheable> refused_by_linker(const std::vector<std::string>& arguments);

}  // namespace hipcache::command

#endif
