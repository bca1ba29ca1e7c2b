// Reasons against storing an archive, read from its bytes.
#ifndef HIPCACHE_SRC_DAEMON_OPAQUE_ARCHIVE_MEMBERS_H
#define HIPCACHE_SRC_DAEMON_OPAQUE_ARCHIVE_MEMBERS_H

#include <string_view>

namespace hipcache::daemon {

// Whether a member's header holds a time or an owner. Archivers write these unless they are told, or built, to omit
// them, and then archives of equal members differ. Also true if the bytes are not an archive of GNU's or LLVM's format.
bool holds_times(std::string_view archive);

}  // namespace hipcache::daemon

#endif
