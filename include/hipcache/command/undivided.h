// Commands that are cached whole: by one traced run of what the user typed, whose outputs are the files that it was
// seen to write.
//
// The problem: a project compiles more than HIP for several architectures: C and C++ by clang and gcc, assembler,
// preprocessed text, precompiled headers, two sources at once. The choice: nothing of such a command is taken apart.
// Its inputs and outputs are what the trace shows, so its options need not be understood; only what no trace can show
// is refused here: results that depend on the machine, the clock, chance, a terminal or a plugin. Rejected: to
// understand each compiler's options (gcc has no table that could be linked, and every release adds some).
#ifndef HIPCACHE_COMMAND_UNDIVIDED_H
#define HIPCACHE_COMMAND_UNDIVIDED_H

#include <string>
#include <variant>
#include <vector>

#include "hipcache/command/invocation.h"

namespace hipcache::command {

// Reads response files relative to `working_directory`. `further`: programs that are to be taken for compilers though
// their names do not say so, each "NAME", "NAME=gcc" or "NAME=clang". Thread-safe.
std::variant<Invocation, Uncacheable> parse_undivided(const std::vector<std::string>& argv,
                                                      const std::string& working_directory,
                                                      const std::vector<std::string>& further = {});

}  // namespace hipcache::command

#endif
