// The options in the query of a URL, and those of a tier.
#ifndef HIPCACHE_SRC_CONFIG_REMOTE_OPTIONS_H
#define HIPCACHE_SRC_CONFIG_REMOTE_OPTIONS_H

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "hipcache/base/result.h"
#include "hipcache/config/remote_url.h"

namespace hipcache::config {

// "%41" becomes "A"; nothing if two hexadecimal digits do not follow a %.
std::optional<std::string> percent_decoded(std::string_view text);

// Calls `take` with the name and the value of each option of a query, until it returns an error.
template <typename Take>
Status for_each_option(std::string_view query, const Take& take) {
  while (!query.empty()) {
    const std::string_view option = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), option.size() + 1));
    const auto equals = option.find('=');
    if (option.empty()) continue;
    const std::string_view value = equals == std::string_view::npos ? "" : option.substr(equals + 1);
    if (Status taken = take(option.substr(0, equals), value); !taken) return taken;
  }
  return done();
}

// "300ms", "1.5s", "2": from 1 ms to 60 s, in seconds if there is no unit.
std::optional<std::chrono::milliseconds> parse_wait(std::string_view text);

// Of any kind of server.
bool is_remote_option(std::string_view name);

// Of engines alone (execute_url.cpp).
bool is_engine_option(std::string_view name);

// The text of an option that `all` lacks may be a part of a secret. So its number names it, unless it is an option of
// other URLs.
Error unknown_option(const std::string& shown, std::string_view name, unsigned number, const std::string& all);

// `value` is percent-encoded, and no error shows it. `number`: of the option in its URL, for people.
Status set_remote_option(RemoteUrl& url, std::string_view name, std::string_view value, unsigned number);

}  // namespace hipcache::config

#endif
