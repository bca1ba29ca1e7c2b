// What the debug information (DWARF) of an object shows of its sources.
//
// Problem: clang's DWARF 5 has a digest of each file, and can have its text. gcc's, and clang's DWARF 4, have places.
// Choice: the object tells, whatever the options say. Each section is on a list, none is compressed, and each table of
// lines says which fields it has for a file: a name and a directory alone.
#ifndef HIPCACHE_SRC_DAEMON_RUN_DEBUG_SIGHT_H
#define HIPCACHE_SRC_DAEMON_RUN_DEBUG_SIGHT_H

#include <string_view>

namespace hipcache::daemon {

enum class DebugSight { nothing, places, bytes };

// `nothing`: there is none. `places`: lines and columns alone. `bytes`: it may have digests of the sources (DWARF 5),
// or their texts or times, or is not one plain object for a machine of 64 bits.
DebugSight debug_sight(std::string_view object);

}  // namespace hipcache::daemon

#endif
