// What a compile says about wrong settings, on standard error, before the compiler runs.
//
// Problem: a misspelt variable or a cache directory that cannot be used does nothing, and a compile
// never fails because of the cache. Without a word the user never learns of it.
// Choice: the full client says it, once in NoticeStamps::kPause for each user and problem. The
// launcher serves hits and says nothing, so a hit costs no more and its messages stay the compiler's.
// HIPCACHE_QUIET turns all of it off.
#ifndef HIPCACHE_SRC_CLIENT_NOTICES_NOTICES_H
#define HIPCACHE_SRC_CLIENT_NOTICES_NOTICES_H

#include <optional>
#include <string>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/config/settings.h"

namespace hipcache::client {

// One line for each wrong setting of the environment and the file. `daemon_settings`: those of the
// running daemon (hipcache/config/daemon_settings.h); absent if none runs yet.
std::vector<std::string> notices_on_settings(const config::Lookup& variable,
                                             const std::vector<std::string>& environment,
                                             const std::optional<std::string>& daemon_settings);

// The line for a cache directory that cannot be used.
std::string notice_on_directory(const Error& problem);

// Prints "hipcache: " and the line for each that is due, unless `quiet` is set.
void say(const std::vector<std::string>& notices, const config::Lookup& variable);

}  // namespace hipcache::client

#endif
