// What a compile says about wrong settings, on standard error, before the compiler runs.
//
// Problem: a misspelt variable or a cache directory that cannot be used does nothing, and a compile
// never fails because of the cache. Without a word the user never learns of it.
// Choice: the full client says it, once in NoticeStamps::kPause for each job and problem. A job is a session with a
// cache directory: make, ninja and what they start stay in their session. The
// launcher serves hits and says nothing, so a hit costs no more and its messages stay the compiler's.
// HIPCACHE_QUIET turns all of it off.
#ifndef HIPCACHE_SRC_CLIENT_NOTICES_NOTICES_H
#define HIPCACHE_SRC_CLIENT_NOTICES_NOTICES_H

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/config/settings.h"

namespace hipcache::client {

// Remembers which notices were said lately, so that a build of a thousand compiles says each once.
//
// A notice is remembered by an empty file, whose time says when it was last said:
// $XDG_RUNTIME_DIR/hipcache-notices/<number>, else below /tmp (client/connection/daemon_start.h).
// The number comes from the notice's text and is small, so there are at most kStamps files. Two
// notices with one number are said in turn. Where no directory can be made, each compile says it: silence would hide
// a build without a cache from whoever asks why it is slow, at the will of any other user.
// Rejected: the cache directory, because one notice is that it cannot be used.

class NoticeStamps {
 public:
  static constexpr std::chrono::minutes kPause{10};
  static constexpr unsigned kStamps = 1024;

  // `directory` exists and is this user's own.
  explicit NoticeStamps(std::string directory) : directory_(std::move(directory)) {}

  // Whether the notice was not said for kPause. Of several processes that ask at once, one gets true:
  // it says the notice now.
  bool is_due(std::string_view notice) const;

 private:
  std::string directory_;
};

// One line for each wrong setting of the environment and the file. `daemon_settings`: those of the
// running daemon (hipcache/config/cache_place.h); absent if none runs yet.
std::vector<std::string> notices_on_settings(const config::Lookup& variable,
                                             const std::vector<std::string>& environment,
                                             const std::optional<std::string>& daemon_settings);

// The line for a reason for which no compile is cached here.
std::string notice_without_cache(const Error& problem);

// Prints "hipcache: " and the line for each that is due, unless `quiet` is set.
void say(const std::vector<std::string>& notices, const config::Lookup& variable);

}  // namespace hipcache::client

#endif
