// How this process sees the file system, and where the daemon of a user and a view has its files.
//
// hipcache/launcher/daemon_address.h says why there is one daemon for each view, and computes what
// this header offers to C++. Containers that share a cache directory have a daemon each.
#ifndef HIPCACHE_PROTOCOL_MOUNT_VIEW_H
#define HIPCACHE_PROTOCOL_MOUNT_VIEW_H

#include <sys/types.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "hipcache/protocol/messages.h"

namespace hipcache::protocol {

// All zero if the view is unknown: no daemon serves that.
MountView own_mount_view();

// "1000-5f3a9c21": the user, and a number of the view in hexadecimal.
std::string daemon_name(const MountView& view = own_mount_view(), uid_t user = geteuid());

// Whether `name` is the name of one of that user's daemons.
bool is_daemon_name(std::string_view name, uid_t user = geteuid());

// <cache directory>/<daemon name>: the daemon's socket, locks, log and temporary files. Only that
// user has access.
std::string daemon_directory(const std::string& cache_directory);

}  // namespace hipcache::protocol

#endif
