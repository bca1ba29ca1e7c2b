/* The conversation with the daemon, as far as a hit needs it. Every wait is short. Anything unusual is left to the
 * full client, which has longer timeouts (hipcache/client/timeouts.h), sends and receives descriptors and messages of
 * any size, and says what went wrong (src/protocol/channel.cpp). */
#ifndef HIPCACHE_SRC_LAUNCHER_CONNECTION_H
#define HIPCACHE_SRC_LAUNCHER_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "hipcache/launcher/frame.h"
#include "hipcache/launcher/request.h"
#include "launcher/reply_decoder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the path of the socket on which this environment's daemon listens to processes of this view. */
bool launch_own_socket(const struct launch_view* view, char path[PATH_MAX]);

/* A connection to this user's daemon on which the frame was sent, or -1. */
int launch_send_request(const char* path, const char* frame, size_t size);

/* Waits for a reply and peeks at its beginning without consuming it. LAUNCH_OTHER_REPLY also if there is none, and if
 * it has more than `limit` bytes. `path`: of the socket; the mark of a daemon that does not reply lies beside it. */
enum launch_reply launch_hears(int socket, const char* path, size_t limit, struct launch_frame* frame);

/* Peeks at the whole message that launch_hears() announced. False: it has not all arrived. REQUIRES: room for the
 * frame's header as well. */
bool launch_peek(int socket, const struct launch_frame* frame, char* header_and_message);

/* Receives the message that launch_hears() announced. False: the message is incomplete and the connection is
 * unusable. */
bool launch_receive(int socket, const struct launch_frame* frame, char* message,
                    int descriptors[HIPCACHE_DESCRIPTOR_LIMIT]);

#ifdef __cplusplus
}
#endif

#endif
