// Starts a program that outlives the client and inherits nothing from it.
#ifndef HIPCACHE_SRC_CLIENT_CONNECTION_DAEMON_START_H
#define HIPCACHE_SRC_CLIENT_CONNECTION_DAEMON_START_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/connection/process_watch.h"
#include "hipcache/base/files.h"
#include "hipcache/base/result.h"
#include "hipcache/config/settings.h"

namespace hipcache::client {

// A directory of this user outside the cache directory, for what has to be written although the
// cache directory cannot be.
//
//   $XDG_RUNTIME_DIR/hipcache-<name>, else /tmp/hipcache-<uid>-<name>

// Makes the directory, with mode 0700, if it is missing. Nothing if neither place can be used. Follows no
// link and takes no directory of another user: in /tmp, others may have made something of that name.
std::optional<std::string> private_place(const config::Lookup& variable, const std::string& name);

// What an error of the daemon begins with on stderr.
inline constexpr std::string_view kErrorBefore = "hipcached: error: ";
inline constexpr std::string_view kTraced = "it would be traced, and the tracer would wait for its end";

struct Detached {
  ProcessWatch process;
  UniqueFd said;  // reads what the process prints to stderr, without blocking
};

// Gives this process /dev/null as its standard streams (`error` as standard error, if it is not negative), closes all
// other descriptors, and lets signals from a terminal end it again. False on failure. Async-signal-safe.
bool leave_descriptors(int error = -1);

// Starts the program in a session of its own, adopted by init, in "/", with stdin and stdout at /dev/null. All other
// descriptors but stderr are closed. Writes to stderr never block. If a tracer follows the new process, it ends with an
// error as a daemon's (kErrorBefore): the tracer would wait for its end. REQUIRES: no other thread.
Result<Detached> start_detached(const std::string& program, const std::vector<std::string>& environment);

}  // namespace hipcache::client

#endif
