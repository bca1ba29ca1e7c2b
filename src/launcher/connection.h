/* The connection to the daemon, as far as a hit needs it. Every wait is short. Anything unusual is left to the full
 * client, which has longer timeouts (hipcache/client/timeouts.h). */
#ifndef HIPCACHE_SRC_LAUNCHER_CONNECTION_H
#define HIPCACHE_SRC_LAUNCHER_CONNECTION_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hipcache/protocol/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The mount namespace and root directory of this process. There is one daemon per user and view (protocol/view.h). */
struct launch_view {
  uint64_t mount_namespace;
  uint64_t root_device;
  uint64_t root_inode;
};
bool launch_own_view(struct launch_view* view);

/* The socket of this environment's daemon. config/settings.h says how the cache directory is chosen. */
bool launch_socket_path(const struct launch_view* view, char path[PATH_MAX]);

/* A connected socket whose peer runs as this user, or -1. */
int launch_connect(const char* path);

bool launch_send(int socket, const char* frame, size_t size);

struct launch_frame {
  uint32_t size;        /* size of the message */
  uint32_t descriptors; /* number of descriptors that come with the message */
};

/* Waits for a reply and peeks at its beginning without consuming it. True for a Finish of at most `limit` bytes.
 * `path` is the socket's path: beside the socket lies the mark of a client that timed out
 * (client/connection/daemon_silence.h). */
bool launch_hears_finish(int socket, const char* path, size_t limit, struct launch_frame* frame);

/* Receives the message that launch_hears_finish() announced. False: the message is incomplete and the connection is
 * unusable. */
bool launch_receive(int socket, const struct launch_frame* frame, char* message,
                    int descriptors[HIPCACHE_DESCRIPTOR_LIMIT]);

#ifdef __cplusplus
}
#endif

#endif
