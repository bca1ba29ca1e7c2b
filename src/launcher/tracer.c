#define _GNU_SOURCE
#include "hipcache/launcher/tracer.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

pid_t launch_tracer(void) {
  static const char field[] = "\nTracerPid:\t";
  char status[512]; /* the field is one of the first, and none before it is long */
  const int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t size = read(fd, status, sizeof status - 1);
  close(fd);
  if (size <= 0) return 0;
  status[size] = '\0';
  const char* at = strstr(status, field);
  pid_t tracer = 0;
  for (at = at == NULL ? "" : at + sizeof field - 1; *at >= '0' && *at <= '9'; ++at) tracer = 10 * tracer + (*at - '0');
  return tracer;
}
