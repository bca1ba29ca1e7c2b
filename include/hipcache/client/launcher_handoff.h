// What the launcher (src/launch) hands to the full client: a command, and how far the launcher got
// with it.
//
// The launcher says so in one word before the command. "--launch=5,0.1.0/4": descriptor 5 is a
// connection to the daemon on which the launcher of that build sent the request and read nothing.
// "--launch=,...": no connection. "--launch=compiler,...": an answer came, but its outputs could
// not be put in place. A launcher of another build may have sent another request, so the client
// then starts anew.
#ifndef HIPCACHE_CLIENT_LAUNCHER_HANDOFF_H
#define HIPCACHE_CLIENT_LAUNCHER_HANDOFF_H

#include <optional>
#include <string>
#include <vector>

#include "hipcache/base/files.h"

namespace hipcache::client {

struct LauncherHandoff {
  UniqueFd connection;  // invalid: none
  bool only_compiler = false;
};

// Removes the program's name and that word from `argv`, if they are there. The caller owns the
// descriptor.
std::optional<LauncherHandoff> take_launcher_handoff(std::vector<std::string>& argv);

}  // namespace hipcache::client

#endif
