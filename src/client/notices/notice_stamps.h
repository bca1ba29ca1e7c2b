// Remembers which notices were said lately, so that a build of a thousand compiles says each once.
//
// A notice is remembered by an empty file, whose time says when it was last said:
// $XDG_RUNTIME_DIR/hipcache-notices/<number>, else below /tmp (client/connection/private_place.h).
// The number comes from the notice's text and is small, so there are at most kStamps files. Two
// notices with one number are said in turn. Where no file can be made, nothing is said: rather
// silence than a line for each compile.
// Rejected: the cache directory, because one notice is that it cannot be used.
#ifndef HIPCACHE_SRC_CLIENT_NOTICES_NOTICE_STAMPS_H
#define HIPCACHE_SRC_CLIENT_NOTICES_NOTICE_STAMPS_H

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace hipcache::client {

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

}  // namespace hipcache::client

#endif
