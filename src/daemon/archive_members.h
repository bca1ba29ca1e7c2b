// What speaks against storing an archive, read from its bytes.
#ifndef HIPCACHE_DAEMON_ARCHIVE_MEMBERS_H
#define HIPCACHE_DAEMON_ARCHIVE_MEMBERS_H

#include <string_view>

namespace hipcache::daemon {

// Whether a member's header holds a time or an owner, as archivers write them that are not told, or built, to leave
// them out: then equal members make other archives. Also true of what cannot be read as an archive of GNU's or LLVM's.
bool holds_times(std::string_view archive);

}  // namespace hipcache::daemon

#endif
