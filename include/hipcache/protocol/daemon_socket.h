// How this process sees the file system, and where the daemon of a user and a view has its files.
//
// hipcache/launcher/daemon_address.h says why there is one daemon for each view, and computes what
// this header offers to C++. Containers that share a cache directory have a daemon each.
#ifndef HIPCACHE_PROTOCOL_DAEMON_SOCKET_H
#define HIPCACHE_PROTOCOL_DAEMON_SOCKET_H

#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <string_view>

#include "hipcache/base/files.h"
#include "hipcache/base/result.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::protocol {

// All zero if the view is unknown: no daemon serves that.
MountView own_mount_view();

// "1000-5f3a9c21": the user, and a number of the view in hexadecimal.
std::string daemon_name(const MountView& view = own_mount_view(), uid_t user = geteuid());

// ".1000-5f3a9c21": the link to the directory of the daemon that serves other mount namespaces with this root
// directory, too.
std::string outer_daemon_name(uid_t user = geteuid());

// Whether `name` is the name of one of that user's daemons.
bool is_daemon_name(std::string_view name, uid_t user = geteuid());

// <cache directory>/<daemon name>: the daemon's socket, locks, log and temporary files. Only that
// user has access.
std::string daemon_directory(const std::string& cache_directory);

// Where the daemon of this user and view listens: daemon.sock in its directory. If the path does not fit into a socket
// address, the error names the limit.
Result<std::string> socket_path(const std::string& cache_directory);

// The same of the daemon that has this directory.
Result<std::string> socket_in(const std::string& daemon_directory);

// Connects; refuses a socket whose peer is another user.
Result<UniqueFd> connect_to(const std::string& socket_path, std::chrono::milliseconds deadline);

// Binds (mode 0600, replacing a stale file) and listens. REQUIRES: the caller holds the directory's
// daemon lock.
Result<UniqueFd> listen_at(const std::string& socket_path);

// Accepts one connection; a peer of another uid is closed and reported as an error.
Result<UniqueFd> accept_from(int listener);

}  // namespace hipcache::protocol

#endif
