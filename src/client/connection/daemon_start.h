// Starts a program that outlives the client and inherits nothing from it.
#ifndef HIPCACHE_SRC_CLIENT_CONNECTION_DAEMON_START_H
#define HIPCACHE_SRC_CLIENT_CONNECTION_DAEMON_START_H

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

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

struct Detached {
  UniqueFd process;  // becomes readable when the process ends
  UniqueFd said;     // reads what the process prints to stderr, without blocking
};

// Starts the program in a session of its own, adopted by init, in "/", with stdin and stdout at /dev/null. All other
// descriptors but stderr are closed. Writes to stderr never block. REQUIRES: no other thread.
Result<Detached> start_detached(const std::string& program, const std::vector<std::string>& environment);

// A descriptor that becomes readable when the process ends; invalid if there is no such process.
UniqueFd watch_process(pid_t pid);

}  // namespace hipcache::client

#endif
