// Whether a daemon that this process starts would outlive all its clients.
//
// The problem: "apptainer exec", bwrap or "unshare -m" in front of each compile give each a mount namespace of its own.
// A daemon serves one view of the file system, so each compile would start one, which costs ten times what a compile
// does, and which keeps the namespace and its mounts.
// The choice: a process that entered a namespace from outside, and finds no other process in it, starts no daemon. The
// one of the outer namespace serves it if it sees the same files (src/daemon/request/foreign_mounts.h). A container
// that is entered for each compile ("docker exec") has another process, and gets a daemon as usual.
// Rejected: a daemon that ends with its client (its start costs more than a compile).
#ifndef HIPCACHE_SRC_CLIENT_CONNECTION_LONE_NAMESPACE_H
#define HIPCACHE_SRC_CLIENT_CONNECTION_LONE_NAMESPACE_H

#include "hipcache/base/result.h"

namespace hipcache::client {

// ErrorCode::unserved for such a process.
Status check_namespace();

}  // namespace hipcache::client

#endif
