// What a compile depends on if it reads one of clang's AST files (precompiled headers, modules).
//
// The problem: clang does not open the headers of a precompiled header. It calls stat on each, and fails if the size or
// the modification time differs from the one in the AST file. So sizes and times are inputs of such a compile. For
// every other compile they are not: there a touched header must stay a hit. The choice: read the list of headers in the
// AST file, which shows whether it holds times (-fno-pch-timestamp omits them). Rejected: LLVM's bitstream reader. Only
// `compiler` may use LLVM, and this reader takes a page.
#ifndef HIPCACHE_SRC_INPUTS_RULES_AST_FILE_H
#define HIPCACHE_SRC_INPUTS_RULES_AST_FILE_H

#include <cstdint>
#include <string>
#include <string_view>

namespace hipcache::inputs {

// What a reader of the AST file compares for each header. Ordered: each value includes the one before it.
enum class Compares : std::uint8_t { nothing, sizes, sizes_and_times };

// An AST file is never smaller: clang 15 and 19 write more than 200 KB for an empty header.
inline constexpr std::uint64_t kSmallestAstFile = 16 * 1024;

// `head`: the first bytes of a file, at most kAstFileHead. If the file begins as an AST file does but cannot be
// understood, the result is sizes_and_times.
inline constexpr std::size_t kAstFileHead = 4u << 20;
Compares compares(std::string_view head);

// The same for the file at `path`; `nothing` if it is no AST file or cannot be read.
Compares compares_of_file(const std::string& path);

}  // namespace hipcache::inputs

#endif
