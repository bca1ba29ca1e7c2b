// Reads what the launcher hands to the full client: a command, and how far the launcher got with
// it. hipcache/launcher/handoff.h has the format.
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
