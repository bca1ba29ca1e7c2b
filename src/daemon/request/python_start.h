// Whether a Python program does nothing but start the compiler.
//
// Problem: every Python asks for the names of the time zone when it starts. A trace with a look at
// the clock proves nothing, so no compile by pip's script of iree-compile would be stored.
// Choice: if the program is known to do nothing with it, Python's look at the clock does not count.
// pip's and uv's scripts import one function of the compiler's package, and call it.
// Rejected: leaving the clock of all Python programs out. A compiler's wrapper may write the date.
#ifndef HIPCACHE_SRC_DAEMON_REQUEST_PYTHON_START_H
#define HIPCACHE_SRC_DAEMON_REQUEST_PYTHON_START_H

#include <string_view>

#include "daemon/request/request.h"

namespace hipcache::daemon {

// Whether the script's only imports are `re`, `sys`, and names of the module (or of its __main__).
bool imports_only(std::string_view script, std::string_view module);

// Reads the typed program if it may be such a script. True also for "python3 -m MODULE".
bool only_starts_by_python(const Request& request);

}  // namespace hipcache::daemon

#endif
