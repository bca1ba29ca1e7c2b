// The options in the query of a tier's URL.
#ifndef HIPCACHE_SRC_CONFIG_REMOTE_OPTIONS_H
#define HIPCACHE_SRC_CONFIG_REMOTE_OPTIONS_H

#include <optional>
#include <string>
#include <string_view>

#include "hipcache/base/result.h"
#include "hipcache/config/remote_url.h"

namespace hipcache::config {

// "%41" becomes "A"; nothing if two hexadecimal digits do not follow a %.
std::optional<std::string> percent_decoded(std::string_view text);

// Whether a part of an option's value may be a password, as in endpoint=https://user:password@host.
bool may_hold_password(std::string_view value);

// Of any kind of server.
bool is_remote_option(std::string_view name);

// `value` is percent-encoded. An error names the URL as shown, and never a secret value.
Status set_remote_option(RemoteUrl& url, std::string_view name, std::string_view value);

}  // namespace hipcache::config

#endif
