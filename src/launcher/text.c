#include "launcher/text.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

struct launch_text launch_empty_text(char* bytes, size_t room) {
  bytes[0] = '\0';
  return (struct launch_text){bytes, room, 0, false};
}

void launch_add_part(struct launch_text* text, const char* more, size_t size) {
  if (text->overflow || size >= text->room - text->used) {
    text->overflow = true;
    return;
  }
  memcpy(text->bytes + text->used, more, size);
  text->used += size;
  text->bytes[text->used] = '\0';
}

void launch_add(struct launch_text* text, const char* more) { launch_add_part(text, more, strlen(more)); }

void launch_add_name(struct launch_text* text, const char* name) {
  if (text->used > 0 && text->bytes[text->used - 1] != '/') launch_add(text, "/");
  launch_add(text, name);
}

void launch_add_number(struct launch_text* text, unsigned long number) {
  char digits[24];
  size_t first = sizeof digits;
  do {
    digits[--first] = (char)('0' + number % 10);
    number /= 10;
  } while (number != 0);
  launch_add_part(text, digits + first, sizeof digits - first);
}

/* Another process may have made the pipe or terminal non-blocking: the flag belongs to the open file, which all who
 * inherited it share. */
static bool wait_for_room(int fd) {
  struct pollfd writable = {.fd = fd, .events = POLLOUT};
  return poll(&writable, 1, -1) >= 0 || errno == EINTR;
}

bool launch_write(int fd, const char* bytes, size_t size) {
  while (size > 0) {
    const ssize_t written = write(fd, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) && wait_for_room(fd)) continue;
    if (written < 0) return false;
    bytes += written;
    size -= (size_t)written;
  }
  return true;
}
