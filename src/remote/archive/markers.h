// The two entries of an archive that are no values (docs/internals/formats.md).
#ifndef HIPCACHE_SRC_REMOTE_ARCHIVE_MARKERS_H
#define HIPCACHE_SRC_REMOTE_ARCHIVE_MARKERS_H

#include <cstdint>

namespace hipcache::remote {

// The first entry: the number of the format, and a newline.
inline constexpr const char* kFormatEntry = "hipcache-archive";
inline constexpr std::uint64_t kFormat = 1;

// The last entry: the number of values before it, and a newline. Without it the archive is not whole.
inline constexpr const char* kEndEntry = "hipcache-archive-end";

inline constexpr std::uint64_t kMarkerLimit = 64;  // bytes

}  // namespace hipcache::remote

#endif
