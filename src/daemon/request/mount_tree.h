// What a mount table shows, as a text to compare.
#ifndef HIPCACHE_SRC_DAEMON_REQUEST_MOUNT_TREE_H
#define HIPCACHE_SRC_DAEMON_REQUEST_MOUNT_TREE_H

#include <optional>
#include <string>
#include <string_view>

namespace hipcache::daemon {

// The tree of mounts in a text of /proc/PID/mountinfo. Equal for two processes with one root directory exactly if the
// same parts of the same file systems are mounted at the same places, one upon the other in the same way. The ids of
// mounts, their order in the table and their propagation do not count: a copy of a namespace has others. Nothing if the
// table does not say all: no mount, or several, at the root; a mount on a removed directory.
std::optional<std::string> mount_tree(std::string_view mountinfo);

}  // namespace hipcache::daemon

#endif
