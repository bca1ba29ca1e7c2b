// How this process sees the file system, and where the daemon of a user and a view has its files.
//
// A daemon proves results by looking at files, so it can serve those alone who see the same files: there is one for
// each user, mount namespace and root directory. Containers that share a cache directory have a daemon each. Its name
// is in the path, so a client finds its own daemon without a question more than a look at both.
#ifndef HIPCACHE_PROTOCOL_VIEW_H
#define HIPCACHE_PROTOCOL_VIEW_H

#include <sys/types.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "hipcache/protocol/messages.h"

namespace hipcache::protocol {

// All zero if it cannot be told: no daemon serves that.
Namespace own_view();

// "1000-5f3a9c21": the user, and the number of the view (view_number.h) in hexadecimal.
std::string daemon_name(const Namespace& view = own_view(), uid_t user = geteuid());

// Whether a name in a cache directory is such a name, of that user.
bool is_daemon_name(std::string_view name, uid_t user = geteuid());

// <cache directory>/<daemon name>: the daemon's socket, locks, log and temporary files. For that user alone.
std::string daemon_directory(const std::string& cache_directory);

}  // namespace hipcache::protocol

#endif
