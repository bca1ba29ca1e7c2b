/* The way to the daemon, as far as a hit goes: every wait is short, and whatever is out of the ordinary is left to the
 * full client, which has the patience (hipcache/client/patience.h). */
#ifndef HIPCACHE_SRC_LAUNCH_CONNECTION_H
#define HIPCACHE_SRC_LAUNCH_CONNECTION_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hipcache/protocol/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How this process sees the file system: the daemon is the one of this user and this view (protocol/view.h). */
struct launch_view {
  uint64_t mount_namespace;
  uint64_t root_device;
  uint64_t root_inode;
};
bool launch_own_view(struct launch_view* view);

/* Where the daemon of this environment listens: config/settings.h says how its cache directory is chosen. */
bool launch_socket_path(const struct launch_view* view, char path[PATH_MAX]);

/* A connected socket whose other end is of this user; -1 if there is none. */
int launch_connect(const char* path);

bool launch_send(int socket, const char* frame, size_t size);

struct launch_frame {
  uint32_t size;        /* of the message */
  uint32_t descriptors; /* that come with it */
};

/* Waits for an answer and looks at its beginning, consuming nothing: true for a Finish of at most `limit` bytes. `path`
 * is the socket's: beside it lies the mark of a client that waited in vain (client/daemon_silence.h). */
bool launch_hears_finish(int socket, const char* path, size_t limit, struct launch_frame* frame);

/* Takes it. False: it is not whole, and the connection of no further use. */
bool launch_receive(int socket, const struct launch_frame* frame, char* message,
                    int descriptors[HIPCACHE_DESCRIPTOR_LIMIT]);

#ifdef __cplusplus
}
#endif

#endif
