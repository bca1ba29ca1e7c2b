// clang's AST files (precompiled headers, modules), as far as they decide what a compile that reads one depends on.
//
// The problem: clang does not open the headers of a precompiled header. It looks at each, and fails where its size, or
// its modification time, is not the one that the file names. So these count where such a file was read, and only there:
// elsewhere a touched header must stay a hit. The choice: read the list of headers in the file itself, which says
// whether it holds times (-fno-pch-timestamp leaves them out). Rejected: LLVM's reader of bitstreams, since LLVM is for
// `command` and `plan` alone and this takes a page.
#ifndef HIPCACHE_SRC_INPUTS_AST_FILE_H
#define HIPCACHE_SRC_INPUTS_AST_FILE_H

#include <cstdint>
#include <string>
#include <string_view>

namespace hipcache::inputs {

// What a reader of the file compares of each header. Ordered: the later includes the earlier.
enum class Compares : std::uint8_t { nothing, sizes, sizes_and_times };

// An AST file is never smaller: clang 15 and 19 write more than 200 KB for an empty header.
inline constexpr std::uint64_t kSmallestAstFile = 16 * 1024;

// Of the beginning of a file, up to kAstFileHead bytes. What begins like an AST file and cannot be understood is taken
// to compare all.
inline constexpr std::size_t kAstFileHead = 4u << 20;
Compares compares(std::string_view head);

// Of a file by its path: `nothing` where it is no AST file or cannot be read.
Compares compares_of_file(const std::string& path);

}  // namespace hipcache::inputs

#endif
