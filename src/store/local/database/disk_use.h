// The space that a directory takes on its file system.
#ifndef HIPCACHE_SRC_STORE_LOCAL_DATABASE_DISK_USE_H
#define HIPCACHE_SRC_STORE_LOCAL_DATABASE_DISK_USE_H

#include <cstdint>
#include <string>

namespace hipcache::store {

// The bytes allocated to the files at and below `path`, as du counts them. Follows `path` if it is a link, but no link
// below it. What vanishes meanwhile or cannot be read counts as 0.
std::uint64_t allocated_bytes(const std::string& path);

}  // namespace hipcache::store

#endif
