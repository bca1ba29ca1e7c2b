/* The conversation with the daemon, as far as a hit needs it. Every wait is short. Anything unusual is left to the
 * full client, which has longer timeouts (hipcache/client/timeouts.h), sends and receives descriptors and messages of
 * any size, and says what went wrong (src/protocol/channel.cpp). */
#ifndef HIPCACHE_SRC_LAUNCHER_CONNECTION_H
#define HIPCACHE_SRC_LAUNCHER_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "hipcache/launcher/frame.h"
#include "hipcache/launcher/request.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the path of the socket on which this environment's daemon listens to processes of this view. */
bool launch_own_socket(const struct launch_view* view, char path[PATH_MAX]);

/* A connection to this user's daemon on which the frame was sent, or -1. */
int launch_send_request(const char* path, const char* frame, size_t size);

/* Waits for a reply and peeks at its beginning without consuming it. True for a Finish of at most `limit` bytes.
 * `path`: of the socket; the mark of a daemon that does not reply lies beside it. */
bool launch_hears_finish(int socket, const char* path, size_t limit, struct launch_frame* frame);

/* Receives the message that launch_hears_finish() announced. False: the message is incomplete and the connection is
 * unusable. */
bool launch_receive(int socket, const struct launch_frame* frame, char* message,
                    int descriptors[HIPCACHE_DESCRIPTOR_LIMIT]);

#ifdef __cplusplus
}
#endif

#endif
