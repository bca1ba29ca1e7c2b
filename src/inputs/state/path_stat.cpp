#include "inputs/state/path_stat.h"

#include <errno.h>

namespace hipcache::inputs {

PathStat stat_path(const char* path, Effort& effort) {
  ++effort.stats;
  PathStat seen;
  struct stat status = {};
  if (::stat(path, &status) == 0) {
    seen.kind = PathStat::Kind::there;
    seen.mode = status.st_mode;
    seen.stamp = stamp_of(status);
  } else if (errno == ENOENT || errno == ENOTDIR) {
    seen.kind = PathStat::Kind::absent;
  } else {
    seen.kind = PathStat::Kind::error;
    seen.error = errno;
  }
  return seen;
}

}  // namespace hipcache::inputs
