// Parses commands that make archives: ar and ranlib, of GNU and of LLVM.
//
// Problem: an archiver reads the archive that it writes, so that file is both input and output. It
// may also put times and owners into it.
// Choice: only commands that add members and write the index (q, r, s) are cached. The archive's
// name is read from the command, so that its old contents become part of the key. Whether the
// result holds times is checked in the result, because distributors choose the default.
// Rejected: taking the name from the trace, which exists only after the run.
#ifndef HIPCACHE_SRC_COMPILER_COMMAND_LINE_ARCHIVER_H
#define HIPCACHE_SRC_COMPILER_COMMAND_LINE_ARCHIVER_H

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "hipcache/compiler/invocation.h"

namespace hipcache::compiler {

// "ar", "gcc-ar-12", "llvm-ar", "x86_64-linux-gnu-ranlib".
bool is_archiver(std::string_view path);

// The archive, as typed. REQUIRES: is_archiver(arguments[0]); response files are expanded.
std::variant<std::string, Uncacheable> find_archive(const std::vector<std::string>& arguments);

}  // namespace hipcache::compiler

#endif
