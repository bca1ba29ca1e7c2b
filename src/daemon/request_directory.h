// The temporary directory of one request: there when a step has to be run, gone when the request ends, however it ends.
#ifndef HIPCACHE_DAEMON_REQUEST_DIRECTORY_H
#define HIPCACHE_DAEMON_REQUEST_DIRECTORY_H

#include <string>

#include "hipcache/base/result.h"

namespace hipcache::daemon {

class RequestDirectory {
 public:
  // A new directory below `parent`.
  static Result<RequestDirectory> make(const std::string& parent);

  ~RequestDirectory();
  RequestDirectory(RequestDirectory&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  RequestDirectory& operator=(RequestDirectory&&) = delete;

  const std::string& path() const { return path_; }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  explicit RequestDirectory(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

}  // namespace hipcache::daemon

#endif
