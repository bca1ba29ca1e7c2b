// The names that a path is made of.
#ifndef HIPCACHE_BASE_PATH_NAMES_H
#define HIPCACHE_BASE_PATH_NAMES_H

#include <string_view>
#include <vector>

namespace hipcache {

// Without empty names and "."; ".." takes the name before it away, by spelling alone: links are not followed. The names
// point into `path`.
std::vector<std::string_view> path_names(std::string_view path);

}  // namespace hipcache

#endif
