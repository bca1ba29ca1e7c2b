// The macros of a command that its keys leave out.
//
// Problem: a commit id in a -D of the whole target compiles every source, and one uses it.
// Choice: the key of a request has only the macros whose names the source itself has. The path set asks about the
// others whose names occur in the files that were read (docs/internals/proof.md, "Macros of the command"). The source's
// own stay in the key: a source that is compiled several times, each time with another macro, keeps a list of path sets
// for each. Rejected: all macros left out of the key. A source with more variants than a list has places would be
// compiled anew in turns; and the id of a translation unit would be the same for all of them. Of several sources in one
// command, none keeps its macros there.
#ifndef HIPCACHE_SRC_DAEMON_REQUEST_MACROS_H
#define HIPCACHE_SRC_DAEMON_REQUEST_MACROS_H

#include <string>
#include <vector>

#include "hipcache/compiler/invocation.h"
#include "hipcache/inputs/file_system_state.h"
#include "hipcache/inputs/run_context.h"

namespace hipcache::daemon {

// Sets what the context says of the command's macros. `source`: absolute, or "" if the command compiles none. Words
// that a compiler ignores count as macros whose names no file has. A link of objects has no use for a macro, unless a
// program takes part that is no compiler (Sight::Macros::unread).
void find_macros(const compiler::Invocation& invocation, const std::string& source, inputs::RunContext& from,
                 inputs::FileSystemState& file_system);

// A command without the macros that keys leave out. For drivers' commands and cc1's.
std::vector<std::string> without_macros(const std::vector<std::string>& arguments, const inputs::RunContext& from);

}  // namespace hipcache::daemon

#endif
