#include "inputs/state/path_stat.h"

#include <errno.h>
#include <fcntl.h>

namespace hipcache::inputs {

PathStat stat_path(const char* path, Mounts& mounts, Effort& effort) {
  ++effort.stats;
  PathStat seen;
  FileStatus status;
  const int error = mounts.look(AT_FDCWD, path, 0, status);
  if (error == 0) {
    seen.kind = PathStat::Kind::there;
    seen.mode = status.mode;
    seen.stamp = status.stamp;
  } else if (error == ENOENT || error == ENOTDIR) {
    seen.kind = PathStat::Kind::absent;
  } else {
    seen.kind = PathStat::Kind::error;
    seen.error = error;
  }
  return seen;
}

}  // namespace hipcache::inputs
