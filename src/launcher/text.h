/* Text in a bounded buffer, and a complete write. */
#ifndef HIPCACHE_SRC_LAUNCHER_TEXT_H
#define HIPCACHE_SRC_LAUNCHER_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Always zero-terminated. Text that does not fit is left out and sets `overflow`. */
struct launch_text {
  char* bytes;
  size_t room;
  size_t used;
  bool overflow;
};

struct launch_text launch_empty_text(char* bytes, size_t room); /* REQUIRES: room > 0 */
void launch_add(struct launch_text* text, const char* more);
void launch_add_part(struct launch_text* text, const char* more, size_t size);
/* The same after a slash, unless the text ends with one. */
void launch_add_name(struct launch_text* text, const char* name);
void launch_add_number(struct launch_text* text, unsigned long number);

/* Writes all bytes. Retries after signals and short writes, and waits where a non-blocking descriptor has no room.
 * False with errno on failure. */
bool launch_write(int fd, const char* bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif
