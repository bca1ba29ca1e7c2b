// Splits a path into its names.
#ifndef HIPCACHE_BASE_PATH_NAMES_H
#define HIPCACHE_BASE_PATH_NAMES_H

#include <string_view>
#include <vector>

namespace hipcache {

// Leaves out empty names and ".". ".." removes the name before it, by spelling only: links are not
// followed. The names point into `path`.
std::vector<std::string_view> path_names(std::string_view path);

}  // namespace hipcache

#endif
