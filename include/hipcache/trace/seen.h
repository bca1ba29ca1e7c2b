// The digest in a record of what a call gave: which file was opened, where a link led.
//
// The problem: a directory that was swapped for another one while the compiler ran, and back again, holds no file that
// is newer than the run; that the compiler read other files shows only in what they were. The choice: 64 bits, made by
// the preload library right after the call; whoever asks the world again makes the same of what is there now, and
// compares. They tell accidents apart, not attacks. Rejected: the fields themselves (longer records, and links and real
// paths have other ones).
#ifndef HIPCACHE_TRACE_SEEN_H
#define HIPCACHE_TRACE_SEEN_H

#include <sys/stat.h>

#include <cstdint>
#include <string_view>

namespace hipcache::trace {

// Which file, and for a regular one in which state: device, inode, size, mtime, ctime.
std::uint64_t seen_file(const struct stat& status);
// Which file, directory or link, and of a regular file whether it is empty; whatever else becomes of it: device, inode.
std::uint64_t seen_entry(const struct stat& status);
// A link's target, a resolved path.
std::uint64_t seen_text(std::string_view text);

}  // namespace hipcache::trace

#endif
