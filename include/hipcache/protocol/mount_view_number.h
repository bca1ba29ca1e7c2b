/* A short number for how a process sees the file system; part of the name of its daemon's
 * directory. In C, because the launcher is.
 *
 * Two views may share a number: the daemon also compares the full view, which comes with each
 * request. Only 32 bits, because the path of a socket has few bytes. FNV-1a. */
#ifndef HIPCACHE_PROTOCOL_MOUNT_VIEW_NUMBER_H
#define HIPCACHE_PROTOCOL_MOUNT_VIEW_NUMBER_H

#include <stdint.h>

static inline uint32_t hipcache_view_number(uint64_t mount_namespace, uint64_t root_device, uint64_t root_inode) {
  const uint64_t parts[] = {mount_namespace, root_device, root_inode};
  uint32_t number = 2166136261U;
  for (unsigned index = 0; index < 24; ++index) {
    number ^= (uint32_t)(parts[index / 8] >> 8 * (index % 8)) & 0xFFU;
    number *= 16777619U;
  }
  return number;
}

#endif
