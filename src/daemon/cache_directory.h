// The daemon's hold on a cache directory: that it is ours, its lock, and its temporary directories.
//
//   <dir>/daemon.lock    flock by the daemon for as long as it lives; holds its process number
//   <dir>/daemon.sock    the socket
//   <dir>/daemon.log     what went wrong where no log was asked for
//   <dir>/digests        what it knows of files (digest_file.h)
//   <dir>/tmp/<n>/       one per request in flight; leftovers of a daemon that was killed go when the next one starts
//
// Another user's directory, or one that others may write to, is left alone. So is one that took this one's place: the
// daemon uses its files through the descriptor of the directory that it locked, and leaves when the path of the
// directory, its lock or its socket no longer leads to what it opened.
#ifndef HIPCACHE_DAEMON_CACHE_DIRECTORY_H
#define HIPCACHE_DAEMON_CACHE_DIRECTORY_H

#include <chrono>
#include <string>

#include "hipcache/base/files.h"
#include "hipcache/base/own_directory.h"
#include "hipcache/base/result.h"

namespace hipcache::daemon {

class CacheDirectory {
 public:
  // Makes the directory (0700) and locks it, waiting at most `patience` for a daemon that is on its way out.
  static Result<CacheDirectory> take(const std::string& path, std::chrono::milliseconds patience,
                                     const DirectoryAccess& access = {});

  const std::string& path() const { return directory_.path(); }
  const OwnDirectory& own() const { return directory_; }
  std::string temporary() const { return path() + "/tmp"; }

  // Whether the path still leads to the directory and the lock that were taken: whoever finds others there may start
  // another daemon.
  bool is_in_place() const;

  // The path of the log for this process; nothing if what lies there is not ours to write to.
  std::string log() const;

 private:
  CacheDirectory(OwnDirectory directory, UniqueFd lock) : directory_(std::move(directory)), lock_(std::move(lock)) {}

  OwnDirectory directory_;
  UniqueFd lock_;
};

}  // namespace hipcache::daemon

#endif
