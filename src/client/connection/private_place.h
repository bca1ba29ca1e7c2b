// A directory of this user outside the cache directory, for what has to be written although the
// cache directory cannot be.
//
//   $XDG_RUNTIME_DIR/hipcache-<name>, else /tmp/hipcache-<uid>-<name>
#ifndef HIPCACHE_SRC_CLIENT_CONNECTION_PRIVATE_PLACE_H
#define HIPCACHE_SRC_CLIENT_CONNECTION_PRIVATE_PLACE_H

#include <optional>
#include <string>

#include "hipcache/config/settings.h"

namespace hipcache::client {

// Makes the directory, with mode 0700, if it is missing. Nothing if neither place can be used. Follows no
// link and takes no directory of another user: in /tmp, others may have made something of that name.
std::optional<std::string> private_place(const config::Lookup& variable, const std::string& name);

}  // namespace hipcache::client

#endif
