/* Encodes a CompileRequest. */
#ifndef HIPCACHE_SRC_LAUNCHER_REQUEST_H
#define HIPCACHE_SRC_LAUNCHER_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct launch_request {
  const char* build;
  char* const* argv;        /* NULL-terminated, like `environment` */
  char* const* environment; /* NULL counts as empty */
  const char* directory;
  uint64_t mount_namespace;
  uint64_t root_device;
  uint64_t root_inode;
  uint32_t umask;
  bool stderr_is_terminal;
};

/* Encodes the message with its frame header. Returns the number of bytes, or 0 if `room` is too small. */
size_t launch_encode_request(const struct launch_request* request, char* frame, size_t room);

#ifdef __cplusplus
}
#endif

#endif
