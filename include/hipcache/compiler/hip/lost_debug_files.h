// Split debug information (-gsplit-dwarf) of devices in files with random names. The driver leaves such a file in its
// temporary directory, and the code names it. No two runs make equal objects, and in hipcache's directory the file
// would be lost. So such a command is neither split nor traced.
#ifndef HIPCACHE_COMPILER_HIP_LOST_DEBUG_FILES_H
#define HIPCACHE_COMPILER_HIP_LOST_DEBUG_FILES_H

#include <string>
#include <string_view>

namespace hipcache::hip {

// The argument of the driver's jobs by which a device's debug information gets such a name; "" if there is none.
// `printed`: what the driver printed for -###. `temporary_directory`: where its intermediate files are.
std::string lost_debug_file(std::string_view printed, const std::string& temporary_directory);

}  // namespace hipcache::hip

#endif
