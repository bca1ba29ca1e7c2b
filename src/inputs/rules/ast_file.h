// What a compile depends on if it reads one of clang's AST files (precompiled headers, modules).
//
// The problem: clang does not open the headers of a precompiled header. It calls stat on each, and fails if the size or
// the modification time differs from the one in the AST file. So sizes and times are inputs of such a compile. For
// every other compile they are not: there a touched header must stay a hit. The choice: read the list of headers in the
// AST file, which shows whether it holds times (-fno-pch-timestamp omits them). That takes LLVM's reader of bit
// streams, which is not for this folder, so the caller gives a function (Run::lacks_times). Rejected: a reader of our
// own, which took 200 lines.
#ifndef HIPCACHE_SRC_INPUTS_RULES_AST_FILE_H
#define HIPCACHE_SRC_INPUTS_RULES_AST_FILE_H

#include <cstdint>
#include <string>

#include "hipcache/inputs/run.h"

namespace hipcache::inputs {

// What a reader of the AST file compares for each header. Ordered: each value includes the one before it.
enum class Compares : std::uint8_t { nothing, sizes, sizes_and_times };

// An AST file is never smaller: clang 15 and 19 write more than 200 KB for an empty header.
inline constexpr std::uint64_t kSmallestAstFile = 16 * 1024;

// `nothing` if the file at `path` is no AST file or cannot be read.
Compares compares_of_file(const std::string& path, LacksTimes lacks_times);

}  // namespace hipcache::inputs

#endif
