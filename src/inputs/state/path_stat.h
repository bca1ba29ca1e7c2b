// What stat(2) says about one path.
#ifndef HIPCACHE_SRC_INPUTS_STATE_PATH_STAT_H
#define HIPCACHE_SRC_INPUTS_STATE_PATH_STAT_H

#include <sys/stat.h>

#include <cstdint>

#include "hipcache/inputs/effort.h"
#include "inputs/state/mounts.h"

namespace hipcache::inputs {

struct PathStat {
  enum class Kind : std::uint8_t { unseen, absent, there, error };
  Kind kind = Kind::unseen;
  int error = 0;    // errno; for Kind::error
  mode_t mode = 0;  // for Kind::there; links are followed
  Stamp stamp;      // for Kind::there
  bool is_directory() const { return kind == Kind::there && S_ISDIR(mode); }
  bool is_file() const { return kind == Kind::there && S_ISREG(mode); }
};

PathStat stat_path(const char* path, Mounts& mounts, Effort& effort);

}  // namespace hipcache::inputs

#endif
