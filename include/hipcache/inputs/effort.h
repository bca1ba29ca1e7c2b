// What asking the file system cost.
#ifndef HIPCACHE_INPUTS_EFFORT_H
#define HIPCACHE_INPUTS_EFFORT_H

#include <cstdint>

namespace hipcache::inputs {

// The cost of one call; tests assert it.
struct Effort {
  std::uint64_t stats = 0;  // stat, lstat, access and the like
  std::uint64_t opens = 0;  // files opened to be digested
  std::uint64_t bytes_read = 0;
  std::uint64_t listings = 0;
  std::uint64_t links = 0;  // readlink, realpath
};

}  // namespace hipcache::inputs

#endif
