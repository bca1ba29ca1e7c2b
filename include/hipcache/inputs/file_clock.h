// The clock that stamps files, and how far a time stamp is trusted.
#ifndef HIPCACHE_INPUTS_FILE_CLOCK_H
#define HIPCACHE_INPUTS_FILE_CLOCK_H

#include <chrono>
#include <cstdint>
#include <functional>

namespace hipcache::inputs {

// Nanoseconds since 1970 on the clock that stamps files. Called from any thread.
using Clock = std::function<std::uint64_t()>;
Clock file_clock();  // CLOCK_REALTIME_COARSE: what Linux stamps files with

// A time stamp younger than this, or in the future, proves nothing: a later change might leave it
// the same. Two seconds is the coarsest time stamp of a file system in use (FAT).
inline constexpr std::chrono::seconds kDistrust{2};

}  // namespace hipcache::inputs

#endif
