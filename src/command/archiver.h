// Commands that make archives: ar and ranlib, of GNU and of LLVM.
//
// The problem: an archiver reads the archive that it writes, so that file is input and output at once; and it may put
// times and owners into it. The choice: only the commands that add members and write the index are cached (q, r, s),
// and the archive's name is read out of the command, so that what it holds becomes a part of the key. Whether the
// result holds times is looked up in the result, for the default is the distributor's choice. Rejected: to take the
// name from the trace, which is there only after the run.
#ifndef HIPCACHE_SRC_COMMAND_ARCHIVER_H
#define HIPCACHE_SRC_COMMAND_ARCHIVER_H

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "hipcache/command/invocation.h"

namespace hipcache::command {

// "ar", "gcc-ar-12", "llvm-ar", "x86_64-linux-gnu-ranlib".
bool is_archiver(std::string_view path);

// The archive, as typed. REQUIRES: is_archiver(arguments[0]); response files are expanded.
std::variant<std::string, Uncacheable> find_archive(const std::vector<std::string>& arguments);

}  // namespace hipcache::command

#endif
