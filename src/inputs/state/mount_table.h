// What the kernel tells about a mount beyond its kind: the layers of an overlay, the file behind a loop device.
#ifndef HIPCACHE_SRC_INPUTS_STATE_MOUNT_TABLE_H
#define HIPCACHE_SRC_INPUTS_STATE_MOUNT_TABLE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hipcache::inputs {

// Whether every layer of the overlay with that id of /proc/self/mountinfo lies on a file system whose times show
// changes. Layers that cannot be reached from here, as in a container, count as such.
bool layers_show_changes(std::uint64_t mount_id);

// The absolute names of the layers in a line of /proc/self/mountinfo.
std::vector<std::string> layers_in(std::string_view line);

// The file behind a loop device; "" if the kernel does not tell.
std::string file_of_loop_device(std::uint64_t device);

}  // namespace hipcache::inputs

#endif
