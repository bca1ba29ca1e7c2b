// The temporary directory of one request. It is made when a step has to run, and removed when the request ends in any
// way.
//
// It lies in the daemon's directory, which the next daemon cleans up. If that file system is full, it lies in the
// user's own temporary directory, with the name "hipcache-XXXXXX" (mode 0700). By that name the client knows what it
// may remove if the daemon dies. If client and daemon are both killed, such a directory stays.
#ifndef HIPCACHE_SRC_DAEMON_REQUEST_REQUEST_DIRECTORY_H
#define HIPCACHE_SRC_DAEMON_REQUEST_REQUEST_DIRECTORY_H

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/inputs/run.h"

namespace hipcache::daemon {

class RequestDirectory {
 public:
  // Makes a new directory below `parent`, or below `fallback` if there is no room.
  static Result<RequestDirectory> make(const std::string& parent, const std::string& fallback);

  ~RequestDirectory();
  RequestDirectory(RequestDirectory&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  RequestDirectory& operator=(RequestDirectory&&) = delete;

  const std::string& path() const { return path_; }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }

  // Adds the names of files in it that the arguments mention.
  void add_names_in(const std::vector<std::string>& arguments, std::set<std::string>& names) const;

  // Whether the path is that of a file in it which neither `known` has nor a step's runner made. Compilers put files
  // into their temporary directory which their user is to find there, as debug information (-gsplit-dwarf). Here such a
  // file is lost. An empty directory is no loss: clang 15 leaves those everywhere.
  bool is_lost(const std::string& path, const std::set<std::string>& known) const;

  // Why what ran there is of no use: such a file is there, or the directory cannot be listed.
  std::optional<inputs::Refusal> lost_file(const std::set<std::string>& known) const;

 private:
  explicit RequestDirectory(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

}  // namespace hipcache::daemon

#endif
