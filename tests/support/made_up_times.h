// A FUSE file system that shows the files of a directory with a ctime that it makes up, as sshfs does: an edit that
// keeps size and modification time does not show. Speaks to /dev/fuse itself, in a process of its own.
#ifndef HIPCACHE_TESTS_SUPPORT_MADE_UP_TIMES_H
#define HIPCACHE_TESTS_SUPPORT_MADE_UP_TIMES_H

#include <sys/types.h>

#include <string>

namespace hipcache::support {

enum class MadeUp { as_mtime, constant };

class MadeUpTimes {
 public:
  // Mounts `directory` at `place`. REQUIRES: a mount namespace of the test's own
  MadeUpTimes(const std::string& directory, const std::string& place, MadeUp ctime);
  ~MadeUpTimes();
  MadeUpTimes(const MadeUpTimes&) = delete;
  MadeUpTimes& operator=(const MadeUpTimes&) = delete;

  bool is_mounted() const { return server_ > 0; }

 private:
  const std::string place_;
  pid_t server_ = -1;
};

}  // namespace hipcache::support

#endif
