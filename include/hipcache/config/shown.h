// What people are shown of a setting that may hold a secret. The one rule, for errors, notices, lists and logs:
//
//   - No value of such a setting is echoed. Users put a key where the path of its file belongs, or a
//     password with a / into a URL, and the logs of builds are often public.
//   - A URL is shown as its scheme, its host with the port, and the names of the options that hipcache
//     knows: "https://cache.example:8443?mode&token". A path is shown only where it takes the host's
//     place (file://, redis+unix://).
//   - What may be part of a secret is shown as kHidden, or is left out.
//
// Rejected: to hide only the values that are known to be secret. A value at the wrong place is none
// of these.
#ifndef HIPCACHE_CONFIG_SHOWN_H
#define HIPCACHE_CONFIG_SHOWN_H

#include <string>
#include <string_view>

namespace hipcache::config {

inline constexpr std::string_view kHidden = "***";

// Any text, also one that is no URL.
std::string shown_url(std::string_view text);

// "the file of token_file=": in place of a path that may be the secret itself.
std::string file_of(std::string_view setting);

// Of any other setting that may hold a secret: kHidden, or "" if it is not set.
std::string shown_secret(std::string_view text);

// Tells a change of a value that is not shown: too short to find the value by trying.
std::string change_mark(std::string_view text);

}  // namespace hipcache::config

#endif
