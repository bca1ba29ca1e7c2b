// The clock that stamps files, and how far a time stamp is trusted.
#ifndef HIPCACHE_INPUTS_FILE_CLOCK_H
#define HIPCACHE_INPUTS_FILE_CLOCK_H

#include <chrono>
#include <cstdint>
#include <functional>

namespace hipcache::inputs {

// What asking the file system cost.

// The cost of one call; tests assert it.
struct Effort {
  std::uint64_t stats = 0;  // stat, lstat, access and the like
  std::uint64_t opens = 0;  // files opened to be digested
  std::uint64_t bytes_read = 0;
  std::uint64_t listings = 0;
  std::uint64_t links = 0;  // readlink, realpath
};

// What the kernel says of mounts.

// Whether the kernel gives each mount an id that never comes again in one boot (Linux 6.8).
enum class MountIds { unique, reused };
MountIds kernels_mount_ids();

// Nanoseconds since 1970 on the clock that stamps files. Called from any thread.
using Clock = std::function<std::uint64_t()>;
Clock file_clock();  // CLOCK_REALTIME_COARSE: what Linux stamps files with

// A time stamp younger than this, or in the future, proves nothing: a later change might leave it
// the same. Two seconds is the coarsest time stamp of a file system in use (FAT).
inline constexpr std::chrono::seconds kDistrust{2};

}  // namespace hipcache::inputs

#endif
