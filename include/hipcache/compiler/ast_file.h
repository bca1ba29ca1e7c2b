// Reads the list of headers in one of clang's AST files: precompiled headers, modules.
#ifndef HIPCACHE_COMPILER_AST_FILE_H
#define HIPCACHE_COMPILER_AST_FILE_H

#include <string_view>

namespace hipcache::compiler {

// Whether the file certainly has headers and none has a time, as with -fno-pch-timestamp. `head`: the first bytes of
// the file, with the list in them. False for all that is not understood or damaged. Thread-safe.
bool lacks_times(std::string_view head);

}  // namespace hipcache::compiler

#endif
