// What the kernel says of mounts.
#ifndef HIPCACHE_INPUTS_MOUNT_IDS_H
#define HIPCACHE_INPUTS_MOUNT_IDS_H

namespace hipcache::inputs {

// Whether the kernel gives each mount an id that never comes again in one boot (Linux 6.8).
enum class MountIds { unique, reused };
MountIds kernels_mount_ids();

}  // namespace hipcache::inputs

#endif
