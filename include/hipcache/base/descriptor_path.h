// Recognises paths that name open descriptors instead of files: /dev/stdin, /dev/fd/63,
// /proc/self/fd/0.
//
// The bytes behind such a path cannot be read a second time, and each process has descriptors of
// its own.
#ifndef HIPCACHE_BASE_DESCRIPTOR_PATH_H
#define HIPCACHE_BASE_DESCRIPTOR_PATH_H

#include <string>
#include <string_view>

namespace hipcache {

// Looks at the spelling only: "/dev/stdin", "/dev/fd/3", "/proc/self/fd/3",
// "/proc/12/task/12/fd/3"; also with "..".
bool is_descriptor_path(std::string_view absolute);

// Whether the absolute path is a descriptor or a link to one. Costs one system call for a file that
// is no link.
bool leads_to_descriptor(std::string path);

}  // namespace hipcache

#endif
