/* Which path a descriptor has open. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace/preload/call.h"
#include "trace/preload/internal.h"

bool trace_path_of(int fd, char path[TRACE_TEXT_LIMIT + 1]) {
  char link[32] = "/proc/self/fd/";
  size_t end = strlen(link);
  char digits[12];
  size_t count = 0;
  for (unsigned rest = fd < 0 ? 0U : (unsigned)fd; count == 0 || rest != 0; rest /= 10) {
    digits[count++] = (char)('0' + rest % 10);
  }
  while (count > 0) link[end++] = digits[--count];
  link[end] = '\0';
  const int saved = errno;
  const long length = trace_call(SYS_readlinkat, AT_FDCWD, link, path, (size_t)TRACE_TEXT_LIMIT);
  errno = saved;
  if (length <= 0 || path[0] != '/') return false;
  path[length] = '\0';
  return true;
}
