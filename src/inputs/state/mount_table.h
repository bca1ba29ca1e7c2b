// What the kernel tells about mounts beyond their kind: the layers of an overlay, the file behind a loop device, the
// newest of all.
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

// The largest unique id of a mount in this namespace; 0 if the kernel does not tell. Ids grow, so each mount that was
// made before has a smaller one.
std::uint64_t newest_mount();

// The file behind a loop device; "" if the kernel does not tell.
std::string file_of_loop_device(std::uint64_t device);

}  // namespace hipcache::inputs

#endif
