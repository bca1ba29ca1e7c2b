/* Decodes the two replies that the launcher acts on. A Finish: what to place, what to print, which exit code to return.
 * A PassThrough of a wrapper: the library that the wrapper runs with.
 *
 * This decoder is stricter than that of hipcache/protocol/messages.h: it rejects a message with an unknown field or
 * an unusual encoding. The full client then decodes that message. */
#ifndef HIPCACHE_SRC_LAUNCHER_REPLY_DECODER_H
#define HIPCACHE_SRC_LAUNCHER_REPLY_DECODER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hipcache/launcher/place.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LAUNCH_OUTPUT_LIMIT = 64, LAUNCH_REMOVED_LIMIT = 64 };

struct launch_finish {
  int32_t exit_code;
  struct launch_delivery delivery; /* points into the arrays below */
  size_t file_count;               /* outputs whose `file` is a descriptor index, not -1 */
  struct launch_output outputs[LAUNCH_OUTPUT_LIMIT];
  const char* removed[LAUNCH_REMOVED_LIMIT];
};

enum launch_reply { LAUNCH_OTHER_REPLY, LAUNCH_FINISH, LAUNCH_PASS_THROUGH };

/* By the first byte of a message. */
enum launch_reply launch_reply_of(char first);

/* The result points into the message, and the decoder writes a terminating zero after each path. REQUIRES: one
 * writable byte after the message. */
bool launch_decode_finish(char* message, size_t size, struct launch_finish* finish);

/* The library of a PassThrough. False if the compiler is no wrapper. */
bool launch_decode_wrapper(char* message, size_t size, char library[PATH_MAX]);

#ifdef __cplusplus
}
#endif

#endif
