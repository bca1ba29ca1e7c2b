// Who fills a place of the file system, by its name: decides whether another machine can have the same there.
//
// A guess by the usual layout of Linux systems. A wrong guess is a line too many or too few in an explanation.
#ifndef HIPCACHE_SRC_DAEMON_TELL_PLACE_OWNER_H
#define HIPCACHE_SRC_DAEMON_TELL_PLACE_OWNER_H

#include <cstdint>
#include <string_view>

namespace hipcache::daemon {

enum class PlaceOwner : std::uint8_t {
  packages,  // /usr, /opt, /etc and the like: equal wherever the same packages are installed
  machine,   // /proc, /etc/passwd and the like: each machine has its own
  user,      // everything else: checkouts, homes, build directories
};

// `absolute` may hold ".." and doubled slashes.
PlaceOwner owner_of(std::string_view absolute);

// Whether packages of compilers and libc alone put entries into that directory of packages. Its listing is equal
// wherever the same compilers are installed. Packages of any kind fill others, such as /usr/include and /opt.
bool is_of_compilers(std::string_view directory);

}  // namespace hipcache::daemon

#endif
