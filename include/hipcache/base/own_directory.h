// A directory that is known to be ours. The object keeps referring to it, whatever happens to its
// path.
//
// Problem: whoever may write to the cache directory decides what is served, and which files our
// writes reach. A path may also lead elsewhere by the next call, if the directory was removed and
// made again.
// Choice: open the directory once, check its owner and mode on the descriptor, and open all files
// relative to that descriptor without following links. Libraries that need a path get one through
// /proc/self/fd, which always leads to the opened directory.
// Rejected: checking paths by stat before each use, since check and use may see two directories.
// Changing into the directory, since the process has one current directory but may use several
// caches.
//
// Thread-safe. The descriptor closes with the object; anchored() is invalid from then on.
#ifndef HIPCACHE_BASE_OWN_DIRECTORY_H
#define HIPCACHE_BASE_OWN_DIRECTORY_H

#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <vector>

#include "hipcache/base/files.h"
#include "hipcache/base/result.h"

namespace hipcache {

// Who may own a directory, and who may make entries in it. Default: this process's user only.
// Entries opened in it, and entries of those, must always belong to this user.
struct DirectoryAccess {
  std::vector<uid_t> owners{geteuid()};
  // Members of this group may write as well, if the directory belongs to the group.
  std::optional<gid_t> group;
  mode_t directory_mode = S_IRWXU;  // of new directories, less the umask
};

class OwnDirectory {
 public:
  // Opens the directory at `path`; creates it and its parents if it is missing. Links on the way
  // are followed. ErrorCode::denied if another user owns it or may write to it; the message says
  // how to fix that.
  static Result<OwnDirectory> open_or_make(const std::string& path, const DirectoryAccess& access = {});

  // Like open_or_make, but creates nothing: ErrorCode::gone if the directory is missing.
  static Result<OwnDirectory> open(const std::string& path, const DirectoryAccess& access = {});

  // A directory in this one. A link of that name is an error.
  Result<OwnDirectory> open_or_make_below(const std::string& name) const;

  // A file in this directory, close-on-exec. It is an error if the name is a link, is no file or is
  // not ours.
  Result<UniqueFd> open_file(const std::string& name, int flags, mode_t mode = S_IRUSR | S_IWUSR) const;

  // Whether `path` still leads to this directory.
  bool is_in_place() const;

  // Whether `name` in this directory is still the file or directory behind the descriptor.
  bool holds(const std::string& name, int fd) const;

  // The path that users and other processes know.
  const std::string& path() const { return path_; }

  // A path for this process only; leads to this directory while the object lives.
  const std::string& anchored() const { return anchored_; }

  // Rewrites a message of a library that was given the anchored path: puts the known path in.
  std::string as_known(std::string message) const;

  int fd() const { return fd_.get(); }

 private:
  OwnDirectory(UniqueFd fd, std::string path, DirectoryAccess access);
  static Result<OwnDirectory> check(UniqueFd fd, const std::string& path, const DirectoryAccess& access);

  UniqueFd fd_;
  std::string path_;
  std::string anchored_;
  DirectoryAccess access_;
};

}  // namespace hipcache

#endif
