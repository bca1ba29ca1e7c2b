// The temporary directory of one request: there when a step has to be run, gone when the request ends, however it ends.
//
// It lies in the cache directory, whose contents the next daemon tidies up. Where that file system has no room, it lies
// in the user's own temporary directory and is named "hipcache-XXXXXX" (mode 0700), by which the client knows what it
// may remove should the daemon die. If client and daemon are both killed, such a directory stays.
#ifndef HIPCACHE_DAEMON_REQUEST_DIRECTORY_H
#define HIPCACHE_DAEMON_REQUEST_DIRECTORY_H

#include <string>

#include "daemon/request.h"
#include "hipcache/base/result.h"

namespace hipcache::daemon {

class RequestDirectory {
 public:
  // A new directory below `parent`, or below `fallback` if there is no room.
  static Result<RequestDirectory> make(const std::string& parent, const std::string& fallback);

  ~RequestDirectory();
  RequestDirectory(RequestDirectory&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  RequestDirectory& operator=(RequestDirectory&&) = delete;

  const std::string& path() const { return path_; }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  explicit RequestDirectory(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

// Where the user's own compiler would put its temporary files: TMPDIR if that is an absolute path, else /tmp.
std::string users_temporary_directory(const Request& request);

}  // namespace hipcache::daemon

#endif
