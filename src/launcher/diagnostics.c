#define _GNU_SOURCE
#include "hipcache/launcher/diagnostics.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

void launch_print_error(const char* before, const char* name, const char* after) {
  const char* const parts[] = {"hipcache: error: ", before, name, after, "\n"};
  enum { COUNT = sizeof parts / sizeof *parts };
  struct iovec pieces[COUNT];
  for (unsigned index = 0; index < COUNT; ++index)
    pieces[index] = (struct iovec){(void*)parts[index], strlen(parts[index])};
  while (writev(STDERR_FILENO, pieces, COUNT) < 0 && errno == EINTR) {
  }
}
