/* The frame around a message on the socket, and the version of the messages.
 *
 * In C, because the launcher is; the channel of client and daemon (hipcache/protocol/channel.h)
 * uses it too. docs/internals/protocol.md has the format. The functions keep no state. */
#ifndef HIPCACHE_LAUNCHER_FRAME_H
#define HIPCACHE_LAUNCHER_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised with every change of a message's meaning. Client and daemon of different versions do
 * not talk (docs/internals/protocol.md). */
#define HIPCACHE_PROTOCOL_VERSION 10

/* Version of the program and of the protocol; must be equal on both sides. HIPCACHE_VERSION
 * comes from the build. */
#define HIPCACHE_AS_TEXT_(value) #value
#define HIPCACHE_AS_TEXT(value) HIPCACHE_AS_TEXT_(value)
#define HIPCACHE_BUILD HIPCACHE_VERSION "/" HIPCACHE_AS_TEXT(HIPCACHE_PROTOCOL_VERSION)

/* Magic, size and number of descriptors; little-endian, four bytes each. */
#define HIPCACHE_FRAME_HEADER 12U

/* The kernel refuses more than 253 (SCM_MAX_FD). */
#define HIPCACHE_DESCRIPTOR_LIMIT 250U

struct launch_frame {
  uint32_t size;        /* of the message, in bytes */
  uint32_t descriptors; /* number of descriptors that come with the message */
};

void launch_put_header(const struct launch_frame* frame, char header[HIPCACHE_FRAME_HEADER]);

/* False if the magic is another. The caller checks the limits of both numbers. */
bool launch_get_header(const char header[HIPCACHE_FRAME_HEADER], struct launch_frame* frame);

/* Copies the descriptors that recvmsg received, and returns their number. The caller owns them.
 * REQUIRES: the control buffer has no room for more than the limit. */
size_t launch_get_descriptors(struct msghdr* envelope, int descriptors[HIPCACHE_DESCRIPTOR_LIMIT]);

#ifdef __cplusplus
}
#endif

#endif
