/* Finish as the launcher reads it: what to place, what to print, how to end.
 *
 * Stricter than protobuf: a field that is not known, or comes in a form of its own, makes the message one that is not
 * understood. The full client reads it then. */
#ifndef HIPCACHE_SRC_LAUNCH_ANSWER_H
#define HIPCACHE_SRC_LAUNCH_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hipcache/launch/place.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LAUNCH_OUTPUT_LIMIT = 64, LAUNCH_REMOVED_LIMIT = 64 };

struct launch_part {
  const char* bytes;
  size_t size;
};

struct launch_answer {
  int32_t exit_code;
  struct launch_part out;
  struct launch_part err;
  struct launch_output outputs[LAUNCH_OUTPUT_LIMIT]; /* `file` is the number of a descriptor that came along, or -1 */
  size_t output_count;
  size_t file_count;
  const char* removed[LAUNCH_REMOVED_LIMIT];
  size_t removed_count;
};

/* Whether the message that begins so is a Finish. */
bool launch_begins_finish(char first);

/* Points into the message, and writes zeros behind its paths. REQUIRES: there is room for one byte behind it. */
bool launch_decode_finish(char* message, size_t size, struct launch_answer* answer);

#ifdef __cplusplus
}
#endif

#endif
