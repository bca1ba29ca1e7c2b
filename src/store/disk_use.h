// What a directory takes up on its file system.
#ifndef HIPCACHE_STORE_DISK_USE_H
#define HIPCACHE_STORE_DISK_USE_H

#include <cstdint>
#include <string>

namespace hipcache::store {

// The bytes allocated to the files at and below `path`, as du has it. A link in the place of `path` is followed, links
// below are not. What vanishes meanwhile or cannot be read counts as nothing.
std::uint64_t allocated_bytes(const std::string& path);

}  // namespace hipcache::store

#endif
