/* The frame around a message on the socket, and the version of the messages. In C, because the
 * launcher is. */
#ifndef HIPCACHE_PROTOCOL_FRAME_H
#define HIPCACHE_PROTOCOL_FRAME_H

/* Raised with every change of a message's meaning. Client and daemon of different versions do
 * not talk (docs/protocol.md). */
#define HIPCACHE_PROTOCOL_VERSION 7

/* Version of the program and of the protocol; must be equal on both sides. HIPCACHE_VERSION
 * comes from the build. */
#define HIPCACHE_AS_TEXT_(value) #value
#define HIPCACHE_AS_TEXT(value) HIPCACHE_AS_TEXT_(value)
#define HIPCACHE_BUILD HIPCACHE_VERSION "/" HIPCACHE_AS_TEXT(HIPCACHE_PROTOCOL_VERSION)

#define HIPCACHE_FRAME_MAGIC 0x31434348U /* "HCC1" as bytes */
/* Magic, length, number of descriptors; little-endian, four bytes each. */
#define HIPCACHE_FRAME_HEADER 12U

/* The kernel refuses more than 253 (SCM_MAX_FD). */
#define HIPCACHE_DESCRIPTOR_LIMIT 250U

#endif
