// A client in another mount namespace that sees the same files as this daemon.
//
// The problem: "unshare -m" or bwrap in front of each compile gives each a mount namespace of its own. A daemon for
// each costs ten times what a compile does. The choice: what a process sees are its mounts, its root directory and what
// its user may read. The daemon reads the client's mount table in /proc, and serves the client if that is like its own
// (mount_tree; docs/internals/protocol.md, "A namespace for each compile"). A run is recorded only if the client's
// mounts did not change since.
// Rejected: a table that the client sends, which proves nothing at the time of the record; mounts that may differ
// because of their places (/proc, /sys, /dev): path sets ask about files there as about any other.
//
// Used by one thread.
#ifndef HIPCACHE_SRC_DAEMON_REQUEST_FOREIGN_MOUNTS_H
#define HIPCACHE_SRC_DAEMON_REQUEST_FOREIGN_MOUNTS_H

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "hipcache/base/files.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::daemon {

// The tree of mounts in a text of /proc/PID/mountinfo. Equal for two processes with one root directory exactly if the
// same parts of the same file systems are mounted at the same places, one upon the other in the same way. The ids of
// mounts, their order in the table and their propagation do not count: a copy of a namespace has others. Nothing if the
// table does not say all: no mount, or several, at the root; a mount on a removed directory.
std::optional<std::string> mount_tree(std::string_view mountinfo);

class ForeignMounts {
 public:
  // Null unless the process, which sent the request, is known to see the same files as this one.
  static std::shared_ptr<ForeignMounts> like_own(pid_t client, const protocol::CompileRequest& request);

  // Whether the client's mounts changed since like_own(). True from the first change on.
  bool have_changed();

 private:
  explicit ForeignMounts(UniqueFd table) : table_(std::move(table)) {}

  UniqueFd table_;  // of the client; the kernel notes on it whether the mounts changed
  bool changed_ = false;
};

}  // namespace hipcache::daemon

#endif
