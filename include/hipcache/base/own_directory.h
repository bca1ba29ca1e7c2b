// A directory that is known to be ours, and stays the same one whatever becomes of its path.
//
// Problem: who may write to the cache directory, or to what it leads to, decides what is served, and which files our
// writes reach. And a path may lead elsewhere by the next call: the directory was removed and made again.
// Choice: the directory is opened once, its owner and mode are checked on the descriptor, and all files in it are
// opened relative to that descriptor, without following links. Libraries that want a path get one through
// /proc/self/fd, which leads to the opened directory and to no other of the same name.
// Rejected: to check paths by stat before each use (the check and the use may meet two directories); to change into the
// directory (the current directory belongs to the process, and a process may use several).
//
// Thread-safe. The descriptor closes with the object, and anchored() leads nowhere from then on.
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

// Who may own a directory, and who may make entries in it. The default: this process's user, and nobody else. Entries
// that are opened in it, and theirs, are this user's alone in any case.
struct DirectoryAccess {
  std::vector<uid_t> owners{geteuid()};
  std::optional<gid_t> group;       // members of this group may write, too, where the directory belongs to it
  mode_t directory_mode = S_IRWXU;  // of new directories and those in them, less the umask
};

class OwnDirectory {
 public:
  // The directory at `path`, made with its parents if it is missing. Links on the way to it are followed. An error
  // (ErrorCode::denied) names the mend if somebody else owns it, or may write to it.
  static Result<OwnDirectory> open_or_make(const std::string& path, const DirectoryAccess& access = {});

  // The same for one that is there: ErrorCode::gone if it is not.
  static Result<OwnDirectory> open(const std::string& path, const DirectoryAccess& access = {});

  // A directory in this one. A link of that name is an error.
  Result<OwnDirectory> open_or_make_below(const std::string& name) const;

  // A file in this directory, close-on-exec. A link, or what is no file or not ours, is an error.
  Result<UniqueFd> open_file(const std::string& name, int flags, mode_t mode = S_IRUSR | S_IWUSR) const;

  // Whether `path` still leads to this directory.
  bool is_in_place() const;

  // Whether the name in this directory still is the file, or directory, behind the descriptor.
  bool holds(const std::string& name, int fd) const;

  // The name by which users and other processes know it.
  const std::string& path() const { return path_; }

  // A path for this process alone, which leads to this directory as long as the object lives.
  const std::string& anchored() const { return anchored_; }

  // A message of a library that was given the anchored path, with the path that users know.
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
