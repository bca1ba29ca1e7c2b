// The daemon's hold on a cache directory: its lock, and its temporary directories.
//
//   <dir>/daemon.lock    flock by the daemon for as long as it lives
//   <dir>/daemon.sock    the socket
//   <dir>/daemon.log     what went wrong where no log was asked for
//   <dir>/store/         the database
//   <dir>/tmp/<n>/       one per request in flight; leftovers of a daemon that was killed go when the next one starts
#ifndef HIPCACHE_DAEMON_CACHE_DIRECTORY_H
#define HIPCACHE_DAEMON_CACHE_DIRECTORY_H

#include <chrono>
#include <string>

#include "hipcache/base/files.h"
#include "hipcache/base/result.h"

namespace hipcache::daemon {

class CacheDirectory {
 public:
  // Makes the directory (0700) and locks it, waiting at most `patience` for a daemon that is on its way out.
  static Result<CacheDirectory> take(const std::string& path, std::chrono::milliseconds patience);

  const std::string& path() const { return path_; }
  std::string store() const { return path_ + "/store"; }
  std::string temporary() const { return path_ + "/tmp"; }

 private:
  CacheDirectory(std::string path, UniqueFd lock) : path_(std::move(path)), lock_(std::move(lock)) {}

  std::string path_;
  UniqueFd lock_;
};

}  // namespace hipcache::daemon

#endif
