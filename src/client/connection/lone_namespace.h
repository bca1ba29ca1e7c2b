// Whether a daemon that this process starts would outlive its only client.
//
// The problem: "apptainer exec", bwrap or "unshare -m" in front of each compile give each a mount namespace of its own.
// A daemon serves one view of the file system, so each compile would start one, which costs ten times what a compile
// does, and which keeps the namespace and its mounts.
// The choice: a process that entered its namespace by itself, because its parent is outside of it, starts no daemon. It
// leaves a note of the namespace. If another one enters the same namespace ("docker exec"), it finds the note and starts
// the daemon.
// Rejected: a daemon that ends with its client (its start costs more than a compile), and a daemon of the outer
// namespace that serves inner ones (it cannot look at their files).
#ifndef HIPCACHE_SRC_CLIENT_CONNECTION_LONE_NAMESPACE_H
#define HIPCACHE_SRC_CLIENT_CONNECTION_LONE_NAMESPACE_H

#include "hipcache/base/result.h"
#include "hipcache/config/settings.h"

namespace hipcache::client {

// ErrorCode::unserved for the first process that entered its mount namespace on its own.
Status check_namespace(const config::Lookup& variable);

}  // namespace hipcache::client

#endif
