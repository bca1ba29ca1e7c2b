// Names of intermediate files in messages. Each request has a directory of its own. Stored text uses one fixed name for
// it, and shown text uses the driver's temporary directory.
#ifndef HIPCACHE_SRC_DAEMON_REQUEST_TEMPORARY_PATHS_H
#define HIPCACHE_SRC_DAEMON_REQUEST_TEMPORARY_PATHS_H

#include <string>

#include "daemon/request/request.h"
#include "daemon/request/request_directory.h"
#include "hipcache/base/readable.h"

namespace hipcache::daemon {

// The name for the request's directory in stored text.
inline constexpr const char* kStoredDirectory = kStoredTemporaryDirectory.data();

std::string as_stored(std::string text, const RequestDirectory& directory);
std::string as_shown(std::string text, const Request& request);

}  // namespace hipcache::daemon

#endif
