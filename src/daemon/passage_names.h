// Files of passage in what steps print. Stored text has one name for the request's directory, which is another for each
// request; shown, it is the driver's temporary directory.
#ifndef HIPCACHE_DAEMON_PASSAGE_NAMES_H
#define HIPCACHE_DAEMON_PASSAGE_NAMES_H

#include <string>

#include "daemon/request.h"
#include "daemon/request_directory.h"
#include "hipcache/base/readable.h"

namespace hipcache::daemon {

// The name that stands for the request's directory in what is stored.
inline constexpr const char* kStoredDirectory = kStoredTemporaryDirectory.data();

std::string as_stored(std::string text, const RequestDirectory& directory);
std::string as_shown(std::string text, const Request& request);

}  // namespace hipcache::daemon

#endif
